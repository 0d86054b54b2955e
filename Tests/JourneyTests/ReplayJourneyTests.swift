import TestSupport
import Testing

@testable import Ledger

/// Stored events once more, on a real server.
@Suite(.blocking) struct ReplayJourneyTests {
    @Test(arguments: ["apple", "google"]) func whatWasAppliedChangesNothing(_ store: String) throws {
        let server = try lived(store)
        let replay = server.paycast("replay", "--user", "42", "--dry-run")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output == "3 read, 0 would change, 0 skipped\n")
        let again = server.paycast("replay", "--since", "start")
        #expect(try again.waitForExit() == 0, "\(again.errors)")
        #expect(again.output == "3 read, 0 changed, 0 skipped\n")
    }

    /// As a bug would leave it that dated what it misread 15 years ahead: no event can be newer.
    @Test(arguments: ["apple", "stripe", "revenuecat", "purchasekit"])
    func wrongStateIsMadeAnew(_ store: String) throws {
        let server = try PaycastServer()
        let trigger = server.paycast("trigger", store, "--scenario", "-", "--user", "42", input: "initial → +29d renew")
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        let ledger = "\(server.folder.path)/paycast.db"
        do {
            let saboteur = try SQLiteConnection(path: ledger, access: .readWrite, lockTimeout: .seconds(5))
            try saboteur.execute(
                """
                UPDATE contracts SET state = 'expired', access_until = 1000, snapshot_state = 'expired',
                    snapshot_access_until = 1000, snapshot_signed_at = 2200000000000
                """
            )
        }
        let trial = server.paycast("replay", "--user", "42", "--dry-run")
        #expect(try trial.waitForExit() == 0, "\(trial.errors)")
        #expect(trial.output.contains("expired → active"), "\(trial.output)")
        let replay = server.paycast("replay", "--since", "start")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output.hasSuffix(" 1 changed, 0 skipped\n"), "\(replay.output)")
        let again = server.paycast("replay", "--since", "start")
        #expect(try again.waitForExit() == 0, "\(again.errors)")
        #expect(again.output.hasSuffix(" 0 changed, 0 skipped\n"), "\(again.output)")
    }

    @Test func nobodysEventsExit1() throws {
        let server = try lived()
        let replay = server.paycast("replay", "--event", "nothing", "--event", "at-all")
        #expect(try replay.waitForExit() == 1)
        #expect(replay.output == "0 read, 0 changed, 0 skipped\n")
    }

    @Test func cursorOfAnotherLedgerIsRefused() throws {
        let server = try lived()
        let replay = server.paycast("replay", "--since", "zzzz-1")
        #expect(try replay.waitForExit() == 1)
        #expect(replay.errors.contains("invalid_cursor"), "\(replay.errors)")
    }

    @Test func pagesAreToldAgain() throws {
        let server = try lived()
        let stream = server.paycast("sign", "user:42:paywall")
        #expect(try stream.waitForExit() == 0)
        let name = stream.output.split(separator: "\n")[0]
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        _ = try page.message()
        let replay = server.paycast("replay", "--user", "42", "--broadcast")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output == "3 read, 1 user told\n")
        let told = try page.message().data ?? ""
        #expect(told.contains(#"target="subscription_status""#), "\(told)")
    }

    @Test func onlyTheKeyReplays() throws {
        let server = try PaycastServer()
        let replay = server.paycast("replay", "--user", "42", "--key", "wrong")
        #expect(try replay.waitForExit() == 1)
        #expect(replay.errors.contains("API key"))
    }

    /// A user with three past events.
    private func lived(_ store: String = "apple") throws -> PaycastServer {
        let server = try PaycastServer()
        let words = ["trigger", store, "--scenario", "-", "--user", "42"]
        let trigger = server.paycast(words, input: "initial → +29d renew → +1d cancel")
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        return server
    }
}

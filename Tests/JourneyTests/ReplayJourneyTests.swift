import TestSupport
import Testing

/// Stored events once more, on a real server.
@Suite(
    .timeLimit(.minutes(10))
) struct ReplayJourneyTests {
    @Test(arguments: ["apple", "google"]) func whatWasAppliedChangesNothing(_ store: String) throws {
        let server = try lived(store)
        let replay = server.paycast("replay", "--user", "42", "--dry-run")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output == "3 read, 0 would change, 0 skipped\n")
        let again = server.paycast("replay", "--since", "start")
        #expect(try again.waitForExit() == 0, "\(again.errors)")
        #expect(again.output == "3 read, 0 changed, 0 skipped\n")
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
        let replay = server.paycast("replay", "--user", "42", "--broadcast", "--json")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        let told = try page.message().data ?? ""
        #expect(told.contains(#"target="subscription_status""#), "\(told)")
    }

    @Test func onlyTheKeyReplays() throws {
        let server = try PaycastServer()
        let replay = server.paycast("replay", "--user", "42", "--key", "wrong")
        #expect(try replay.waitForExit() == 1)
        #expect(replay.errors.contains("API key"))
    }

    /// A user with three events behind him.
    private func lived(_ store: String = "apple") throws -> PaycastServer {
        let server = try PaycastServer()
        let words = ["trigger", store, "--scenario", "-", "--user", "42"]
        let trigger = server.paycast(words, input: "initial → +29d renew → +1d cancel")
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        return server
    }
}

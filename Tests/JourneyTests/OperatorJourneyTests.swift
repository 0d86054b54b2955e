import HTTPClient
import TestSupport
import Testing

/// What the commands of an operator show.
@Suite(.blocking) struct OperatorJourneyTests {
    /// Of the machine's own route; without one it is loopback.
    @Test func addressForAllIsOneThatOpens() throws {
        let server = try PaycastServer(["--dev", "--bind", "0.0.0.0"])
        let shown = try #require(server.process.output.split(separator: " ").last?.split(separator: "\n").first)
        #expect(!shown.contains("0.0.0.0"))
        #expect(try HTTPClient(timeout: .seconds(60)).send("GET", to: shown + "/up").status == 200)
        #expect(server.folder.read(".paycast/address")?.contains("http://127.0.0.1:\(server.port)") == true)
    }

    @Test func tailBeginsAtATime() throws {
        let server = try PaycastServer()
        for text in ["first", "second"] {
            let words = ["publish", "--user", "42", "--action", "update", "--target", "notice", "--html", text]
            #expect(try server.paycast(words).waitForExit() == 0)
        }
        let hour = server.paycast("tail", "--since", "1h", "--limit", "2", "--timeout", "30")
        #expect(try hour.waitForExit() == 0, "\(hour.errors)")
        let later = server.paycast("tail", "--since", "2999-01-01", "--limit", "1", "--timeout", "2")
        #expect(try later.waitForExit() == 1)
        #expect(later.output.isEmpty && hour.output.split(separator: "\n").count == 2)
    }

    /// On a terminal, and only there.
    @Test func progressIsShownOnATerminal() throws {
        let server = try PaycastServer()
        let trigger = server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42")
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        let command = "\(PaycastProgram.path) replay --since start --dry-run"
        let terminal = RunningProcess("script", arguments: ["-qec", command, "/dev/null"], folder: server.folder.path)
        #expect(try terminal.waitForExit() == 0, "\(terminal.output)")
        #expect(terminal.output.contains("1 read, 0 changed …"), "\(terminal.output)")
        let pipe = server.paycast("replay", "--since", "start", "--dry-run")
        #expect(try pipe.waitForExit() == 0)
        #expect(pipe.errors.isEmpty && !pipe.output.contains("…"))
        let recovering = "\(PaycastProgram.path) recover apple"
        let other = RunningProcess("script", arguments: ["-qec", recovering, "/dev/null"], folder: server.folder.path)
        #expect(try other.waitForExit() == 0, "\(other.output)")
        #expect(other.output.contains("recovering from apple … 0 s"), "\(other.output)")
    }
}

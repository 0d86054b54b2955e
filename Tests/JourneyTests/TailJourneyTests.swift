import Domain
import TestSupport
import Testing

/// What was committed is told once, in order, whatever happens to the server.
@Suite(.blocking) struct TailJourneyTests {
    @Test(arguments: [RunningProcess.Signal.kill, .terminate])
    func goesOnAfterARestart(_ signal: RunningProcess.Signal) throws {
        let server = try PaycastServer()
        let tail = server.paycast("tail", "--json", "--since", "start", "--until", "type=EXPIRED", "--timeout", "40")
        try trigger(server, event: "SUBSCRIBED/INITIAL_BUY")
        _ = try tail.line { $0.contains("SUBSCRIBED") }
        try server.restart(with: signal)
        try trigger(server, event: "DID_RENEW")
        try trigger(server, event: "EXPIRED/VOLUNTARY")
        #expect(try tail.waitForExit() == 0)
        let lines = tail.output.split(separator: "\n").filter { $0.contains("\"apple\"") }
        let types = ["SUBSCRIBED", "DID_RENEW", "EXPIRED"]
        #expect(lines.count == types.count)
        for (line, type) in zip(lines, types) { #expect(line.contains("\"\(type)\"")) }
    }

    /// Committed while nobody followed: a cursor is enough to see it.
    @Test func beginsAfterACursor() throws {
        let server = try PaycastServer()
        let first = try cursor(try trigger(server, event: "SUBSCRIBED/INITIAL_BUY"))
        let second = try cursor(try trigger(server, event: "DID_RENEW"))
        #expect(first.epoch == second.epoch && first.position < second.position)
        let tail = server.paycast("tail", "--json", "--since", "\(first)", "--provider", "apple", "--limit", "1")
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains("\"DID_RENEW\""))
        #expect(tail.output.contains("\"\(second)\""))
    }

    @Test func showsOneUserOnly() throws {
        let server = try PaycastServer()
        try trigger(server, event: "SUBSCRIBED/INITIAL_BUY", user: "41")
        try trigger(server, event: "SUBSCRIBED/INITIAL_BUY", user: "42")
        let tail = server.paycast("tail", "--since", "start", "--user", "42", "--type", "SUBSCRIBED", "--limit", "1")
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains("user=42"))
        #expect(!tail.output.contains("user=41"))
        #expect(tail.output.contains("paywall:success"))
    }

    /// `trigger` still waits for a page when the reader of what it printed has gone.
    @Test func triggerEndsWithItsReader() throws {
        let server = try PaycastServer()
        let words = "trigger apple TEST --user 42 --expect success --timeout 600"
        let process = RunningProcess(
            "/bin/bash",
            arguments: ["--norc", "-c", "\"$0\" \(words) | head -3; echo ${PIPESTATUS[0]} >&2", PaycastProgram.path],
            folder: server.folder.path
        )
        #expect(try process.waitForExit() == 0)
        #expect(process.output.hasPrefix("outcome  "))
        #expect(process.errors == "141\n")
    }

    @discardableResult
    private func trigger(_ server: PaycastServer, event: String, user: String = "42") throws -> RunningProcess {
        let process = server.paycast("trigger", "apple", event, "--user", user)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        return process
    }

    private func cursor(_ trigger: RunningProcess) throws -> Cursor {
        let line = try #require(trigger.output.split(separator: "\n").first { $0.hasPrefix("cursor ") })
        return try #require(Cursor(String(line.split(separator: " ").last ?? "")))
    }
}

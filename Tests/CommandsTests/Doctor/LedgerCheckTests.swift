import TestSupport
import Testing

/// What `paycast doctor` says of a ledger's file, with the server's end behind it.
@Suite(.blocking) struct LedgerCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What becomes of it, in the words of a shell.
        var damage = ""
        var finding: String
    }

    @Test(arguments: [
        Case(testDescription: "a server's that ended", finding: "ok    ledger .*is intact$"),
        Case(testDescription: "none", damage: "rm paycast.db", finding: "warn  ledger .*“serve” creates a new one"),
        Case(testDescription: "emptied", damage: ": > paycast.db", finding: "warn  ledger .* is empty: .*restore"),
        Case(testDescription: "cut", damage: "truncate -s 12288 paycast.db", finding: "FAIL  ledger .*paycast restore"),
        Case(testDescription: "a text", damage: "echo x > paycast.db", finding: "FAIL  ledger .*set DATABASE_URL"),
        Case(testDescription: "open to others", damage: "chmod 644 paycast.db", finding: "warn  ledger .*chmod 600"),
    ]) func saysWhatToDo(_ example: Case) throws {
        let server = try PaycastServer([], environment: ["PAYCAST_STREAM_KEYS": String(repeating: "k", count: 32)])
        try server.stop(with: .terminate)
        let folder = server.folder
        #expect(try RunningProcess("sh", arguments: ["-c", example.damage], folder: folder.path).waitForExit() == 0)
        let names = folder.names
        let output = try doctor(in: folder, server: ReservedPort.unused.url)
        #expect(try output.contains(Regex("(?m)^\(example.finding)")), "\(output)")
        #expect(folder.names == names)
    }

    @Test func runningServerIsAskedInstead() throws {
        let server = try PaycastServer([])
        #expect(
            try doctor(in: server.folder, server: server.url).contains("which serves http://127.0.0.1:\(server.port)")
        )
        // Its ledger may be on another machine.
        #expect(try !doctor(in: TemporaryFolder(), server: server.url).contains("ledger  "))
    }

    private func doctor(in folder: TemporaryFolder, server: String) throws -> String {
        let process = PaycastProgram.start(["doctor", "--server", server], folder: folder.path)
        _ = try process.waitForExit(timeout: .seconds(40))
        return process.output
    }
}

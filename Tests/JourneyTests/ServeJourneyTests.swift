import Glibc
import TestSupport
import Testing

/// The server as its operator meets it.
@Suite(.blocking) struct ServeJourneyTests {
    @Test(arguments: [RunningProcess.Signal.terminate, .interrupt])
    func saysOneLineAndDrains(_ signal: RunningProcess.Signal) throws {
        let server = try PaycastServer()
        let process = server.process
        process.send(signal)
        #expect(try process.waitForExit() == 0)
        #expect(process.output == "paycast listening on http://127.0.0.1:\(server.port)\n")
    }

    @Test func developmentLeavesWhatTheCommandsNeed() throws {
        let server = try PaycastServer()
        #expect(server.folder.read(".paycast/address")?.contains(server.url) == true)
        for name in ["api.key", "stream.key"] { #expect(server.folder.read(".paycast/\(name)")?.isEmpty == false) }
    }

    @Test func productionLeavesNothingOfTheKind() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": "key-key-key-key-key"])
        #expect(!server.folder.contains(".paycast"))
        let process = server.paycast("trigger", "apple", "TEST", "--server", server.url)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("--dev"))
    }

    /// Whatever the hard limit of the machine is.
    @Test func mayOpenNoMoreFilesThanItNeeds() throws {
        let server = try PaycastServer(environment: ["PAYCAST_MAX_CONNECTIONS": "100"])
        #expect(server.process.fileLimit == 420)
    }

    struct BadStart: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var arguments: [String]
        var environment: [String: String] = [:]
        var says: [String]
    }

    /// One line that says what the system said; and no ledger, of which `doctor` would say that a server was killed.
    @Test(arguments: [
        BadStart(
            testDescription: "an address of another machine",
            arguments: ["--bind", "203.0.113.9", "--port", "0"],
            says: ["cannot listen on 203.0.113.9", "this machine has no such address", "PAYCAST_BIND"]
        ),
        BadStart(
            testDescription: "the same with TLS",
            arguments: ["--bind", "203.0.113.9", "--port", "0", "TLS"],
            says: ["cannot listen on 203.0.113.9", "this machine has no such address"]
        ),
        BadStart(
            testDescription: "an address of a link",
            arguments: ["--bind", "fe80::1", "--port", "0"],
            says: ["cannot listen on [fe80::1]", "PAYCAST_BIND"]
        ),
        BadStart(
            testDescription: "a port in use",
            arguments: ["--port", "TAKEN"],
            says: ["Address already in use: process HOLDER (paycast) listens there; stop it, or choose another port"]
        ),
        BadStart(
            testDescription: "roots that are none",
            arguments: ["--port", "0"],
            environment: ["PAYCAST_APPLE_ROOTS": "/etc/hostname"],
            says: ["/etc/hostname"]
        ),
    ]) func startThatFailsIsOneLineAndLeavesNoLedger(_ start: BadStart) throws {
        let server = try PaycastServer()
        let certificate = try TemporaryCertificate()
        let folder = TemporaryFolder()
        let words = start.arguments.flatMap { $0 == "TLS" ? certificate.settings : [$0] }
        let process = PaycastProgram.start(
            ["serve", "--dev"] + words.map { $0 == "TAKEN" ? "\(server.port)" : $0 },
            environment: start.environment,
            folder: folder.path
        )
        #expect(try process.waitForExit() == 78)
        #expect(process.output.isEmpty)
        let lines = process.errors.split(separator: "\n").filter { !$0.contains(" warning ") && !$0.contains("WARN") }
        #expect(lines.count == 1, "\(process.errors)")
        for text in start.says {
            let text = text.split(separator: "HOLDER").joined(separator: "\(server.process.number)")
            #expect(process.errors.contains(text), "\(process.errors)")
        }
        #expect(folder.names.allSatisfy { $0 == ".paycast" }, "\(folder.names)")
    }

    /// Pages of the one would never hear what the other commits.
    @Test func secondServerOnALedgerIsRefused() throws {
        let server = try PaycastServer()
        let words = ["serve", "--dev", "--port", "0", "--public", PaycastProgram.root + "/public"]
        let second = PaycastProgram.start(words, folder: server.folder.path)
        #expect(try second.waitForExit() == 1)
        #expect(second.output.isEmpty)
        let place = "process \(server.process.number), which serves \(server.url); stop that server, or set"
        #expect(second.errors.contains(place) && second.errors.split(separator: "\n").count == 1, "\(second.errors)")
        #expect(try server.paycast("publish", "--user", "42", "--action", "refresh").waitForExit() == 0)
        try server.restart(with: .kill)
    }

    @Test func ledgerIsItsOwnersAlone() throws {
        umask(0o022)
        let server = try PaycastServer()
        for name in ["paycast.db", "paycast.db-wal", "paycast.db-shm", "paycast.db-lock"] {
            var information = stat()
            #expect(stat(server.folder.path(name), &information) == 0, "\(name)")
            #expect(information.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func demoThrowsItsLedgerAway() throws {
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(
            ["demo", "--port", "0", "--public", PaycastProgram.root + "/public"],
            environment: ["TMPDIR": folder.path],
            folder: folder.path
        )
        _ = try process.line { $0.hasPrefix("paycast listening on http://127.0.0.1:") }
        process.send(.terminate)
        #expect(try process.waitForExit() == 0)
        #expect(folder.names == [".paycast"])
    }
}

import TestSupport
import Testing

/// Sockets that a service manager holds for its server.
@Suite(.blocking) struct InheritedSocketTests {
    /// While one process drains, while there is none, and while the next one starts.
    @Test func aRestartUnderLoadRefusesNobody() throws {
        let server = try PaycastServer(["--dev", "--loops", "2"], inheriting: HeldSocket())
        let traffic = try RestartTraffic(server)
        let seen = try traffic.run {
            for round in 1...3 {
                try traffic.wait(forAnswers: round * 40)
                try server.stop(with: .terminate)
                let waiting = try (0..<10).map { _ in
                    let client = try server.connect()
                    try client.send("GET /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    return client
                }
                try server.start()
                for client in waiting { #expect(try client.read(until: "\r\n") == "HTTP/1.1 200 OK\r\n") }
            }
            try traffic.wait(forAnswers: 160)
        }
        #expect(seen.failures == [])
        #expect(seen.statuses.isSubset(of: [200, 202, 503]), "\(seen.statuses)")
        let events = seen.outcomes.keys
        #expect(seen.outcomes.values.allSatisfy { $0 == "applied" }, "\(seen.outcomes)")
        #expect(try traffic.committed() == Dictionary(events.map { ($0, 1) }) { $1 })
        for page in seen.pages { #expect(page == seen.published) }
    }

    @Test func eachNameHasItsSocket() throws {
        let (own, console) = (HeldSocket(), HeldSocket())
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(
            ["serve", "--dev", "--port", "0", "--public", PaycastProgram.root + "/public"],
            inheriting: [console, own],
            environment: ["LISTEN_FDNAMES": "console:paycast"],
            folder: folder.path
        )
        #expect(try process.line { _ in true } == "paycast listening on http://127.0.0.1:\(own.port)")
        #expect(process.errors.contains(" sockets inherited names=paycast,console"), "\(process.errors)")
        for (port, status) in [(own.port, "200 OK"), (console.port, "303 See Other")] {
            let client = try RawSocket(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            #expect(try client.read(until: "\r\n") == "HTTP/1.1 \(status)\r\n")
        }
    }

    struct BadStart: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var arguments: [String] = []
        var environment: [String: String] = [:]
        var isListening = true
        var status: Int32 = 78
        var says: String
    }

    @Test(arguments: [
        BadStart(
            testDescription: "not a number",
            environment: ["LISTEN_FDS": "two"],
            says: "LISTEN_FDS: “two” is not a number from 0 to 2"
        ),
        BadStart(
            testDescription: "more than there are names for",
            environment: ["LISTEN_FDS": "2", "LISTEN_FDNAMES": "paycast"],
            says: "LISTEN_FDNAMES: names 1 of 2 sockets: give each its FileDescriptorName=, paycast or console"
        ),
        BadStart(
            testDescription: "two without names",
            environment: ["LISTEN_FDS": "2"],
            says: "LISTEN_FDNAMES: names 0 of 2 sockets"
        ),
        BadStart(
            testDescription: "a name that means nothing",
            environment: ["LISTEN_FDNAMES": "web.socket"],
            says: "LISTEN_FDNAMES: “web.socket” is neither paycast nor console: set FileDescriptorName="
        ),
        BadStart(
            testDescription: "another process's",
            environment: ["LISTEN_PID": "1"],
            says: "LISTEN_PID: “1” is not this process, PROCESS: start paycast with exec, or unset LISTEN_FDS"
        ),
        BadStart(
            testDescription: "nobody's",
            environment: ["LISTEN_PID": ""],
            says: "LISTEN_PID: is missing beside LISTEN_FDS: start paycast with exec"
        ),
        BadStart(
            testDescription: "a socket that does not listen",
            isListening: false,
            says: "LISTEN_FDS: descriptor 3 is not a TCP socket that listens"
        ),
        BadStart(
            testDescription: "a descriptor that is not open",
            environment: ["LISTEN_FDS": "2", "LISTEN_FDNAMES": "paycast:console"],
            says: "LISTEN_FDS: descriptor 4 is not a TCP socket that listens"
        ),
        BadStart(
            testDescription: "another port by a flag",
            arguments: ["--port", "1"],
            status: 64,
            says: "--port: “1” is not where the socket of LISTEN_FDS listens, 127.0.0.1:PORT, which would win: remove"
        ),
        BadStart(
            testDescription: "another port",
            environment: ["PORT": "1"],
            says: "PORT: “1” is not where the socket of LISTEN_FDS listens"
        ),
        BadStart(
            testDescription: "another address",
            environment: ["PAYCAST_BIND": "0.0.0.0"],
            says: "PAYCAST_BIND: “0.0.0.0” is not where the socket of LISTEN_FDS listens"
        ),
        BadStart(
            testDescription: "another address of the console",
            environment: ["LISTEN_FDNAMES": "console", "PAYCAST_CONSOLE_BIND": "127.0.0.2:0"],
            says: "PAYCAST_CONSOLE_BIND: “127.0.0.2:0” is not where the socket of LISTEN_FDS listens"
        ),
    ]) func whatIsWrongIsOneSentence(_ start: BadStart) throws {
        let held = HeldSocket(isListening: start.isListening)
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(
            ["serve"] + start.arguments,
            inheriting: [held],
            environment: start.environment,
            folder: folder.path
        )
        #expect(try process.waitForExit() == start.status)
        let says = start.says.replacing("PROCESS", with: "\(process.number)").replacing("PORT,", with: "\(held.port),")
        #expect(process.errors.hasPrefix(says), "\(process.errors)")
        #expect(process.errors.split(separator: "\n").count == 1 && process.output.isEmpty, "\(process.errors)")
        #expect(folder.names.isEmpty)
    }
}

import HTTPClient
import Simulator
import TestSupport
import Testing

/// A server that has run out of file descriptors refuses what it must, and goes on.
@Suite(.blocking) struct ScarceFilesTests {
    /// `paycast serve --dev` under a hard limit of open files.
    private struct Fixture {
        let folder = TemporaryFolder()
        let process: RunningProcess

        init(files: Int, pages: String = PaycastProgram.root + "/public") {
            let words = ["serve", "--dev", "--port", "0", "--public", pages]
            process = RunningProcess(
                "/bin/sh",
                arguments: ["-c", "ulimit -n \(files); exec \"$0\" \"$@\"", PaycastProgram.path] + words,
                environment: ["PAYCAST_MAX_CONNECTIONS": "5000"],
                folder: folder.path
            )
        }

        func port() throws -> Int {
            let line = try process.line { $0.hasPrefix("paycast listening on ") }
            return try #require(line.split(separator: ":").last.flatMap { Int($0) })
        }
    }

    @Test func lowersItsLimitAndSaysSo() throws {
        let fixture = Fixture(files: 128)
        let port = try fixture.port()
        let lines = fixture.process.errors.split(separator: "\n").filter { $0.contains("PAYCAST_MAX_CONNECTIONS") }
        #expect(lines.count == 1 && lines[0].contains("lowered from 5000"), "\(fixture.process.errors)")
        #expect(lines.first?.contains("ulimit -Hn is 128") == true, "\(lines)")
        var crowd = (0..<400).compactMap { _ in try? RawSocket(port: port) }
        #expect(crowd.count > 100)
        #expect(fixture.process.isRunning)
        crowd = []
        try answersAgain(port, process: fixture.process)
    }

    /// Each holds a connection and a part of a file, for as long as it is allowed to read nothing.
    @Test func stalledDownloadsLeaveRoomForOthers() throws {
        let pages = TemporaryFolder()
        pages.write(String(repeating: "0123456789abcdef", count: 512 << 10), to: "large.txt")
        let fixture = Fixture(files: 1024, pages: pages.path)
        let port = try fixture.port()
        let crowd = try (0..<700).map { _ in
            let socket = try RawSocket(port: port)
            try socket.send("GET /large.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return socket
        }
        for socket in crowd { #expect(try socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 ")) }
        let client = HTTPClient(timeout: .seconds(5))
        #expect(try client.send("GET", to: "http://127.0.0.1:\(port)/up").status == 200)
        #expect(try client.send("GET", to: "http://127.0.0.1:\(port)/large.txt").status == 200)
        let held = try #require(openFiles(of: fixture.process))
        #expect(held < 800, "\(held)")
        withExtendedLifetime(crowd) {}
    }

    /// Whatever takes them: here they are taken away while it runs, from a client that is connected already.
    @Test func goesOnWithoutAny() throws {
        let server = try PaycastServer()
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        let limit = try #require(server.process.fileLimit)
        let known = try server.connect()
        #expect(try ask("GET /up", on: known).hasPrefix("HTTP/1.1 200 "))
        let count = try #require(openFiles(of: server.process))
        try setLimit(of: server.process, to: count)
        var crowd = (0..<count).compactMap { _ in try? RawSocket(port: server.port) }
        // A file is there, and cannot be opened now.
        try Deadline(.seconds(60)).wait(for: "the end of all descriptors") {
            try ask("GET /fragments/success.html", on: known).hasPrefix("HTTP/1.1 503 ")
        }
        // A call to a store, and a sleep between two: this ended the process.
        let begun = try ask("POST /recoveries", on: known, body: #"{"provider":"apple"}"#, key: key)
        let mark = try #require(begun.firstRange(of: "Location: "))
        let path = begun[mark.upperBound...].prefix { !$0.isNewline }
        var recovery = ""
        try Deadline(.seconds(60)).wait(for: "the end of the recovery") {
            recovery = try ask("GET \(path)", on: known, key: key)
            return !recovery.contains(#""state":"running""#)
        }
        #expect(recovery.contains(#""state":"failed""#), "\(recovery)")
        #expect(server.process.isRunning, "\(server.process.errors)")
        try setLimit(of: server.process, to: limit)
        crowd = []
        try answersAgain(server.port, process: server.process)
        #expect(crowd.isEmpty)
        #expect(try server.paycast("recover", "apple").waitForExit() == 0)
    }

    /// With so few it could not even begin.
    @Test func tooFewAreOneLine() throws {
        let fixture = Fixture(files: 24)
        #expect(try fixture.process.waitForExit() == 78)
        #expect(fixture.process.output.isEmpty)
        let lines = fixture.process.errors.split(separator: "\n")
        #expect(lines.last?.contains("ulimit -n") == true, "\(lines)")
    }

    private func ask(
        _ line: String,
        on socket: RawSocket,
        body: String = "",
        key: String = ""
    ) throws -> String {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let head = "\(line) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\(length)\r\n"
        try socket.send(head + body)
        let answer = try socket.read(until: "\r\n\r\n")
        let count = answer.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        return answer + String(decoding: try socket.read(count: count ?? 0), as: UTF8.self)
    }

    private func answersAgain(_ port: Int, process: RunningProcess) throws {
        let client = HTTPClient(timeout: .seconds(60))
        let address = "http://127.0.0.1:\(port)"
        try Deadline(.seconds(30)).wait(for: "an answer") {
            (try? client.send("GET", to: address + "/up").status) == 200
                && (try? client.send("GET", to: address + "/").status) == 200
        }
        #expect(process.isRunning)
    }

    /// The soft limit alone, so that it can be raised again.
    private func setLimit(of process: RunningProcess, to count: Int) throws {
        let tool = RunningProcess("/usr/bin/prlimit", arguments: ["--pid", "\(process.number)", "--nofile=\(count):"])
        #expect(try tool.waitForExit() == 0, "\(tool.errors)")
    }

    private func openFiles(of process: RunningProcess) -> Int? {
        let tool = RunningProcess("/bin/ls", arguments: ["/proc/\(process.number)/fd"])
        guard (try? tool.waitForExit()) == 0 else { return nil }
        return tool.output.split(separator: "\n").compactMap { Int($0) }.max().map { $0 + 1 }
    }
}

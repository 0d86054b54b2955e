import HTTPClient
import Synchronization
import TestSupport
import Testing

@Suite(.blocking) struct HTTPClientTests {
    private let client = HTTPClient(timeout: .seconds(60))

    @Test func sendsWhatItWasGivenAndReturnsTheAnswer() throws {
        let server = Recorder("HTTP/1.1 201 Created\r\nX-One: a\r\nContent-Length: 2\r\n\r\nhi")
        let response = try client.send(
            "POST",
            to: server.url + "/orders?x=1",
            headers: [("Authorization", "Bearer key"), ("Content-Type", "application/json"), ("X-Empty", "")],
            body: Array(#"{"user":"42"}"#.utf8)
        )
        #expect(response.status == 201)
        #expect(response.header("x-one") == "a")
        #expect(response.body == Array("hi".utf8))
        let request = server.requests.first ?? ""
        #expect(request.hasPrefix("POST /orders?x=1 HTTP/1.1\r\n"))
        #expect(request.contains("Authorization: Bearer key\r\n"))
        #expect(request.contains("X-Empty:\r\n"))
        #expect(request.contains("Content-Length: 13\r\n"))
        #expect(request.hasSuffix("\r\n\r\n" + #"{"user":"42"}"#))
    }

    @Test func connectionsAreUsedAgainAndNothingElse() throws {
        let server = SocketServer { socket in
            for number in 1...2 {
                let head = try socket.read(until: "\r\n\r\n")
                let answer = "\(number) \(head.contains("Authorization"))"
                try socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
            }
        }
        let first = try client.send("GET", to: server.url, headers: [("Authorization", "Bearer key")])
        let second = try client.send("GET", to: server.url + "/else")
        #expect([first, second].map { String(decoding: $0.body, as: UTF8.self) } == ["1 true", "2 false"])
    }

    @Test func anIdOfDotsIsSentAsItIs() throws {
        let server = Recorder("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try client.send("GET", to: server.url + "/users/../stream")
        #expect(server.requests.first?.hasPrefix("GET /users/../stream HTTP/1.1\r\n") == true)
    }

    @Test func getHasNoBodyAndPostWithoutBodySaysSo() throws {
        let server = Recorder("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try client.send("GET", to: server.url)
        _ = try client.send("POST", to: server.url)
        #expect(server.requests.count == 2)
        #expect(!server.requests[0].contains("Content-"))
        #expect(server.requests[1].contains("Content-Length: 0\r\n"))
        #expect(!server.requests[1].contains("Content-Type"))
    }

    @Test(arguments: ["302 Found\r\nLocation: /elsewhere", "404 Not Found", "503 Busy\r\nRetry-After: 1"])
    func anyStatusIsAnAnswer(_ head: String) throws {
        let server = Recorder("HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.send("GET", to: server.url).status == Int(head.prefix(3)))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["", "nonsense", "file:///etc/passwd", "ftp://host/", "http://"])
    func refusesTheAddress(_ url: String) {
        #expect {
            try client.send("GET", to: url)
        } throws: { error in
            if case .invalidURL = error as? HTTPClientError { true } else { false }
        }
    }

    @Test(arguments: [("X-A", "b\r\nX-C: d"), ("X-A", "b\nc"), ("X A", "b"), ("X-A\r\nX-B", "c"), ("", "b")])
    func refusesHeadersThatWouldBecomeOthers(_ name: String, value: String) {
        #expect {
            try client.send("GET", to: "http://127.0.0.1:1", headers: [(name, value)])
        } throws: { error in
            if case .invalidRequest = error as? HTTPClientError { true } else { false }
        }
    }

    @Test func nobodyThereNamesTheOriginAndNoSecret() {
        #expect(throws: HTTPClientError.refused(ReservedPort.unused.url)) {
            try client.send("GET", to: "http://user:secret@127.0.0.1:\(ReservedPort.unused.number)/path?token=secret")
        }
    }

    @Test func silenceTimesOut() {
        let server = SocketServer { _ = try $0.readToEnd() }
        #expect(throws: HTTPClientError.timedOut(server.url)) {
            try HTTPClient(timeout: .milliseconds(100)).send("GET", to: server.url)
        }
    }

    @Test func halfAnAnswerIsNone() {
        let server = Recorder("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        #expect(throws: HTTPClientError.brokenOff(server.url)) { try client.send("GET", to: server.url) }
    }

    struct Oddity: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: String
        var error: @Sendable (String) -> HTTPClientError
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    @Test(arguments: [
        Oddity(testDescription: "nothing", answer: "") { .noAnswer($0) },
        Oddity(testDescription: "another protocol's greeting", answer: "SSH-2.0-OpenSSH_9.2\r\n") { .notHTTP($0) },
        Oddity(testDescription: "a page of HTTP/0.9", answer: "<p>Hello</p>\n") { .notHTTP($0) },
        Oddity(testDescription: "a bad status line", answer: "HTTP/1.1 fine\r\n\r\n") { .notHTTP($0) },
        Oddity(testDescription: "a status of four digits", answer: "HTTP/1.1 2000 OK\r\n\r\n") { .notHTTP($0) },
        Oddity(testDescription: "a length in words", answer: ok + "Content-Length: ten\r\n\r\n") { .notHTTP($0) },
        Oddity(testDescription: "a bad chunk", answer: ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n") {
            .notHTTP($0)
        },
        Oddity(testDescription: "an unknown coding", answer: ok + "Transfer-Encoding: magic\r\n\r\nab") {
            .notHTTP($0)
        },
        Oddity(testDescription: "half a head", answer: ok + "Content-Le") { .brokenOff($0) },
        Oddity(testDescription: "half a chunk", answer: ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab") {
            .brokenOff($0)
        },
        Oddity(
            testDescription: "a long line",
            answer: ok + "X: " + String(repeating: "a", count: 120 << 10) + "\r\n\r\n"
        ) {
            .headTooLarge($0)
        },
        Oddity(
            testDescription: "many headers",
            answer: ok + String(repeating: "X: \(String(repeating: "a", count: 1000))\r\n", count: 100) + "\r\n"
        ) { .headTooLarge($0) },
    ]) func anOddAnswerHasWordsOfItsOwn(_ given: Oddity) {
        let server = Recorder(given.answer)
        #expect(throws: given.error(server.url)) { try client.send("GET", to: server.url) }
    }

    @Test func bodyIsBounded() {
        let server = SocketServer { socket in
            _ = try socket.read(until: "\r\n\r\n")
            try socket.send("HTTP/1.1 200 OK\r\n\r\n")
            let megabyte = [UInt8](repeating: 97, count: 1 << 20)
            for _ in 0..<20 { try socket.send(megabyte) }
        }
        #expect(throws: HTTPClientError.tooLarge(server.url)) { try client.send("GET", to: server.url) }
    }

    @Test func namesItsLibrary() {
        #expect(libcurlVersion.split(separator: ".").count == 3)
    }
}

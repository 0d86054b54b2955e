import TestSupport
import Testing

/// The real `tail` against a feed that the test writes by hand.
@Suite(.blocking) struct TailTests {
    @Test func printsJSONAsReceivedAndEndsAtTheMatch() throws {
        let feed = Feed([
            ": hi\n\nid: e-1\n\n" + entry(2, type: "DID_RENEW") + entry(3, type: "EXPIRED") + entry(4, type: "TEST")
        ])
        let process = feed.tail("--json", "--until", "type=EXPIRED")
        #expect(try process.waitForExit() == 0)
        #expect(process.output == json(2, type: "DID_RENEW") + "\n" + json(3, type: "EXPIRED") + "\n")
        #expect(process.errors.isEmpty)
    }

    /// The second connection begins after the last cursor, and what it repeats is not shown again.
    @Test func goesOnAfterALostConnection() throws {
        let feed = Feed([
            "id: e-1\n\n" + entry(2, type: "A") + "id: e-3\ndata: {\"half", entry(2, type: "A") + entry(3, type: "B"),
        ])
        let process = feed.tail("--json", "--limit", "2")
        #expect(try process.waitForExit() == 0)
        #expect(process.output == json(2, type: "A") + "\n" + json(3, type: "B") + "\n")
        #expect(
            feed.requests.map { $0.prefix { $0 != "\r\n" } } == ["GET /feed HTTP/1.1", "GET /feed?since=e-2 HTTP/1.1"]
        )
        #expect(process.errors.contains("trying again"))
        #expect(process.errors.contains("continuing after e-2"))
    }

    /// Nothing happened on the first connection; its lonely id is where the second one begins.
    @Test func losesNothingWhenItHadSeenNothing() throws {
        let feed = Feed(["id: e-1\n\n", entry(2, type: "A")])
        let process = feed.tail("--json", "--limit", "1")
        #expect(try process.waitForExit() == 0)
        #expect(feed.requests.last?.hasPrefix("GET /feed?since=e-1 ") == true)
    }

    @Test func asksForWhatItFilters() throws {
        let feed = Feed([entry(2, type: "A", user: "41") + entry(3, type: "A", user: "4 2")])
        let process = feed.tail("--user", "4 2", "--since", "start", "--type", "A", "--limit", "1", "--key", "k")
        #expect(try process.waitForExit() == 0)
        #expect(process.output.contains("user=4 2"))
        #expect(!process.output.contains("user=41"))
        let request = feed.requests.first ?? ""
        #expect(request.hasPrefix("GET /feed?since=start&user=4%202&type=A HTTP/1.1\r\n"))
        #expect(request.contains("Authorization: Bearer k\r\n"))
    }

    @Test func givesUpAfterTheTimeout() throws {
        let feed = Feed(["id: e-1\n\n"], staysOpen: true)
        let process = feed.tail("--until", "type=EXPIRED", "--timeout", "1")
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("nothing matched --until in time (1 s)"))
    }

    /// One message of a page may have several elements: each is a line, and lines are what is counted and matched.
    @Test(arguments: [["--limit", "2"], ["--until", "text=two"]])
    func countsTheLinesOfAPage(_ words: [String]) throws {
        let elements = ["one", "two", "three"].map {
            #"<turbo-stream action="update" target="\#($0)"><template>\#($0)</template></turbo-stream>"#
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let recorder = Recorder([head + "id: e-2\ndata: \(elements.joined())\n\n"], staysOpen: true)
        let asked = ["tail", "--name", "signed", "--over", "sse", "--server", recorder.url, "--timeout", "30"]
        let process = PaycastProgram.start(asked + words)
        #expect(try process.waitForExit() == 0)
        let lines = process.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("#one") && lines[1].contains("#two"))
    }

    @Test func interruptEndsItQuietly() throws {
        let feed = Feed([entry(2, type: "A")], staysOpen: true)
        let process = feed.tail("--json")
        _ = try process.line { $0 == json(2, type: "A") }
        process.send(.interrupt)
        #expect(try process.waitForExit() == 0)
        #expect(process.errors.isEmpty)
    }

    @Test func wrongKeyIsNotTriedAgain() throws {
        let recorder = Recorder("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        let process = PaycastProgram.start(["tail", "--server", recorder.url, "--key", "hunter2"])
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("does not know this API key"))
        #expect(!process.errors.contains("hunter2"))
        #expect(recorder.requests.count == 1)
    }
}

/// Each connection gets the next of `answers`; then it ends, or stays open until the client leaves.
private struct Feed {
    private let recorder: Recorder

    init(_ answers: [String], staysOpen: Bool = false) {
        recorder = Recorder(answers.map { "HTTP/1.1 200 OK\r\n\r\n" + $0 }, staysOpen: staysOpen)
    }

    var requests: [String] { recorder.requests }

    func tail(_ words: String...) -> RunningProcess {
        PaycastProgram.start(["tail", "--server", recorder.url] + words)
    }
}

private func entry(_ position: Int, type: String, user: String = "42") -> String {
    "id: e-\(position)\ndata: \(json(position, type: type, user: user))\n\n"
}

private func json(_ position: Int, type: String, user: String = "42") -> String {
    #"{"cursor":"e-\#(position)","type":"\#(type)","user":"\#(user)","outcome":"applied"}"#
}

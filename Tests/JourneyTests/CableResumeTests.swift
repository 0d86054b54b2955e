import Domain
import Encoding
import TestSupport
import Testing

/// The extended protocol: sessions that are resumed, and messages with a place in a history.
@Suite(.blocking) struct CableResumeTests {
    private let server: PaycastServer
    private let identifier: String

    init() throws {
        server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        identifier = CableClient.identifier(String(sign.output.split(separator: "\n").first ?? ""))
    }

    private func client(resuming sid: String? = nil) throws -> CableClient {
        let query = sid.map { "?sid=\($0)" } ?? ""
        return try CableClient(port: server.port, query: query, subprotocol: "actioncable-v1-ext-json")
    }

    private func publish(_ text: String) throws {
        let process = server.paycast(
            "publish",
            "--stream",
            "room:1",
            "--action",
            "append",
            "--target",
            "log",
            "--html",
            text
        )
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }

    private func history(after message: JSONNode) -> String {
        let (epoch, offset) = (message["epoch"]?.text ?? "", message["offset"]?.integer ?? -1)
        return #","history":{"streams":{"room:1":{"epoch":"\#(epoch)","offset":\#(offset)}}}"#
    }

    @Test func messagesHaveAPlace() throws {
        let client = try client()
        #expect(client.welcome["sid"]?.text?.utf8.count == 32)
        #expect(try client.subscribe(identifier) == "confirm_subscription")
        try publish("one")
        let message = try client.next()
        #expect(message["stream_id"]?.text == "room:1")
        #expect(message["offset"]?.integer == 1)
        #expect(message["epoch"]?.text?.isEmpty == false)
    }

    @Test func aSessionIsResumedOnceAndItsHistoryAskedFor() throws {
        var first: CableClient? = try client()
        let sid = try #require(first?.welcome["sid"]?.text)
        #expect(try first?.subscribe(identifier) == "confirm_subscription")
        try publish("one")
        let seen = try #require(try first?.next())
        first = nil
        for text in ["two", "three"] { try publish(text) }
        let second = try resumed(sid)
        #expect(second.welcome["restored"]?.boolean == true)
        #expect(second.welcome["restored_ids"] == .array([.string(escaped(identifier))]))
        try second.send("history", identifier: identifier, adding: history(after: seen))
        let missed = try messages(until: "confirm_history", on: second)
        #expect(missed.contains("two") && missed.contains("three"))
        try publish("four")
        #expect(try second.html().contains("four"))
        #expect(try client(resuming: sid).welcome["restored"] == nil)
    }

    @Test func historyComesWithTheSubscription() throws {
        for text in ["one", "two"] { try publish(text) }
        let client = try client()
        let epoch = try #require(try epoch())
        let rest = #","history":{"streams":{"room:1":{"epoch":"\#(epoch)","offset":1}}}"#
        #expect(try client.subscribe(identifier, adding: rest) == "confirm_subscription")
        let missed = try messages(until: "confirm_history", on: client)
        #expect(missed.contains("two") && !missed.contains("one"))
    }

    @Test func historyOfAnotherEpochIsRejectedAndHealed() throws {
        try publish("one")
        let client = try client()
        let rest = #","history":{"streams":{"room:1":{"epoch":"gone","offset":1}}}"#
        #expect(try client.subscribe(identifier, adding: rest) == "confirm_subscription")
        #expect(try messages(until: "reject_history", on: client).contains("refresh"))
    }

    @Test func historySinceATimeIsWhatWasCommittedAfterIt() throws {
        try publish("one")
        let client = try client()
        #expect(try client.subscribe(identifier, adding: #","history":{"since":1000000000}"#) == "confirm_subscription")
        #expect(try messages(until: "confirm_history", on: client).contains("one"))
        let late = try self.client()
        #expect(try late.subscribe(identifier, adding: #","history":{"since":9000000000}"#) == "confirm_subscription")
        #expect(try messages(until: "confirm_history", on: late).isEmpty)
    }

    @Test func answersAPing() throws {
        let client = try client()
        try client.webSocket.send(text: #"{"command":"ping"}"#)
        #expect(try client.next()["type"]?.text == "pong")
    }

    /// The server may learn of the end a moment after us.
    private func resumed(_ sid: String) throws -> CableClient {
        let deadline = Deadline(.seconds(10))
        while true {
            let client = try client(resuming: sid)
            if client.welcome["restored"] != nil || deadline.hasPassed { return client }
        }
    }

    private func messages(until type: String, on client: CableClient) throws -> String {
        var html = ""
        while true {
            let message = try client.next()
            if message["type"]?.text == type { return html }
            html += message["message"]?.text ?? ""
        }
    }

    private func epoch() throws -> String? {
        let probe = try client()
        #expect(try probe.subscribe(identifier, adding: #","history":{"since":0}"#) == "confirm_subscription")
        return try probe.next()["epoch"]?.text
    }

    private func escaped(_ text: String) -> ArraySlice<UInt8> {
        Array(JSONLiteral.literal(text).utf8.dropFirst().dropLast())[...]
    }
}

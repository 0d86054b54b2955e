import Domain
import Encoding
import TestSupport
import Testing

/// The extended protocol: sessions that are resumed, and messages with a place in a history.
@Suite(.blocking) struct CableResumeTests {
    private let server: PaycastServer
    private let name: String
    private let identifier: String

    init() throws {
        server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        name = String(sign.output.split(separator: "\n").first ?? "")
        identifier = CableClient.identifier(name)
    }

    private func client(resuming sid: String? = nil, headers: [(String, String)] = []) throws -> CableClient {
        let query = sid.map { "?sid=\($0)" } ?? ""
        return try CableClient(
            port: server.port,
            query: query,
            subprotocol: "actioncable-v1-ext-json",
            headers: headers
        )
    }

    /// Returns its cursor.
    @discardableResult
    private func publish(_ text: String) throws -> String {
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
        return String(process.output.split(separator: "\n").first ?? "")
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

    /// A client whose page was rendered before `one`, and that had `one` and `two` before its line broke and `three` was
    /// published.
    private func returned(
        headers: [(String, String)] = []
    ) throws -> (client: CableClient, identifier: String, seen: JSONNode) {
        let identifier = CableClient.identifier(name, since: try publish("zero"))
        var first: CableClient? = try client(headers: headers)
        let sid = try #require(first?.welcome["sid"]?.text)
        #expect(try first?.subscribe(identifier) == "confirm_subscription")
        for text in ["one", "two"] { try publish(text) }
        let heard = try (0..<2).map { _ in try #require(try first?.next()) }
        #expect(heard.map { $0["message"]?.text?.contains("one") } == [true, false])
        first = nil
        try publish("three")
        return (try resumed(sid), identifier, heard[1])
    }

    /// What AnyCable's client says and hears (https://docs.anycable.io/misc/action_cable_protocol), to the byte.
    @Test func aResumedSessionHearsItsHistoryOnceAndNothingBefore() throws {
        let (client, identifier, seen) = try returned()
        let sid = try #require(client.welcome["sid"]?.text)
        let literal = JSONLiteral.literal(identifier)
        let welcome = #"{"type":"welcome","sid":"\#(sid)","restored":true,"restored_ids":[\#(literal)]}"#
        #expect(client.welcome == JSONNode(welcome))
        for _ in 0..<2 { try awaitPong(client, [#"{"type":"pong"}"#]) }
        let (epoch, offset) = (try #require(seen["epoch"]?.text), try #require(seen["offset"]?.integer))
        let streams = #"{"room:1":{"offset":\#(offset),"epoch":"\#(epoch)"}}"#
        let since = #""history":{"since":1755000000,"streams":\#(streams)}"#
        try client.webSocket.send(text: #"{"identifier":\#(literal),"command":"history",\#(since)}"#)
        let html = #"<turbo-stream action=\"append\" target=\"log\"><template>three</template></turbo-stream>"#
        let place = #""stream_id":"room:1","epoch":"\#(epoch)","offset":\#(offset + 1)"#
        try awaitPong(
            client,
            [
                #"{"identifier":\#(literal),"message":"\#(html)",\#(place)}"#,
                #"{"identifier":\#(literal),"type":"confirm_history"}"#,
                #"{"type":"pong"}"#,
            ]
        )
        // Nor later, when a client that never asks goes on.
        for _ in 0..<2 { while JSONNode(try client.webSocket.text())?["type"]?.text != "ping" {} }
        try awaitPong(client, [#"{"type":"pong"}"#])
    }

    /// What has certainly arrived is not shown twice, and nothing is lost.
    @Test func aSessionThatAsksForNoHistoryGoesOn() throws {
        let (client, _, _) = try returned()
        #expect(client.welcome["restored"]?.boolean == true)
        for (number, text) in ["three", "four"].enumerated() {
            if number > 0 { try publish(text) }
            let html = try client.html()
            #expect(html == #"<turbo-stream action="append" target="log"><template>\#(text)</template></turbo-stream>"#)
        }
    }

    /// A proxy has confirmed what it may never have passed on.
    @Test func aSessionBehindAProxyGoesOnFromItsPage() throws {
        let (client, _, _) = try returned(headers: [("X-Forwarded-For", "192.0.2.9")])
        let missed = try client.html()
        #expect(["one", "two", "three"].allSatisfy { missed.contains($0) } && !missed.contains("zero"), "\(missed)")
    }

    /// Sends AnyCable's `ping` and reads to its answer: what comes, but for the server's own pings.
    private func awaitPong(_ client: CableClient, _ expected: [String]) throws {
        try client.webSocket.send(text: #"{"command":"ping"}"#)
        var heard: [String] = []
        while heard.last != expected.last, heard.count < expected.count {
            let text = try client.webSocket.text()
            if !text.contains(#""type":"ping""#) { heard.append(text) }
        }
        #expect(heard == expected)
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

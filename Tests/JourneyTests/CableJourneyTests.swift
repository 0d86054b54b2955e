import Crypto
import Domain
import Encoding
import Simulator
import Support
import TestSupport
import Testing

/// What a client of Action Cable misses, resumes and is told. The protocol itself is compared with Rails' in
/// `Tests/Reference`.
@Suite(.blocking) struct CableJourneyTests {
    private let server: PaycastServer
    private let signer: StreamNameVerifier

    init() throws {
        server = try PaycastServer()
        let key = try #require(server.folder.read(".paycast/stream.key"))
        signer = try #require(StreamNameVerifier(keys: [.init(text: String(key.prefix { $0 != "\n" }))]))
    }

    private func sign(_ name: String, expires: Instant? = nil) throws -> String {
        signer.sign(try #require(StreamName(name)), expires: expires)
    }

    /// Publishes a fragment and returns its cursor.
    @discardableResult
    private func publish(_ text: String, to stream: String = "room:1", target: String = "box") throws -> String {
        let words = ["publish", "--stream", stream, "--action", "update", "--target", target, "--html", text]
        let process = server.paycast(words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        return String(process.output.split(separator: "\n").first ?? "")
    }

    @Test func aPageThatWasRenderedAtACursorGetsTheNewestOfEachTarget() throws {
        let rendered = try publish("zero")
        for text in ["one", "two"] { try publish(text) }
        try publish("aside", target: "other")
        let client = try CableClient(port: server.port)
        let identifier = CableClient.identifier(try sign("room:1"), since: rendered)
        #expect(try client.subscribe(identifier) == "confirm_subscription")
        let message = try client.next()
        #expect(message["identifier"]?.text == identifier)
        let texts = message["message"]?.text?.split(separator: "<template>").dropFirst().map { $0.prefix { $0 != "<" } }
        #expect(texts == ["two", "aside"])
        try publish("live")
        #expect(try client.html().contains("live"))
    }

    @Test func aPageIsUpToDateAfterKillNine() throws {
        let rendered = try publish("zero")
        let identifier = CableClient.identifier(try sign("room:1"), since: rendered)
        let before = try CableClient(port: server.port)
        #expect(try before.subscribe(identifier) == "confirm_subscription")
        try publish("one")
        #expect(try before.html().contains("one"))
        try server.restart()
        try publish("two")
        let after = try CableClient(port: server.port)
        #expect(try after.subscribe(identifier) == "confirm_subscription")
        #expect(try after.html().contains("two"))
    }

    @Test func twoStreamsOnOneSocketAreToldApart() throws {
        let client = try CableClient(port: server.port)
        let identifiers = try ["room:1", "room:2"].map { CableClient.identifier(try sign($0)) }
        for identifier in identifiers { #expect(try client.subscribe(identifier) == "confirm_subscription") }
        for (stream, identifier) in zip(["room:1", "room:2"], identifiers) {
            try publish(stream, to: stream)
            let message = try client.next()
            #expect(message["identifier"]?.text == identifier)
            #expect(message["message"]?.text?.contains(stream) == true)
        }
        try client.send("unsubscribe", identifier: identifiers[0])
        try publish("unheard", to: "room:1")
        try publish("heard", to: "room:2")
        #expect(try client.html().contains("heard"))
    }

    // MARK: Ends of names

    @Test func aNameThatEndsRefreshesThePageAndThenRejects() throws {
        let client = try CableClient(port: server.port)
        let identifier = CableClient.identifier(try sign("room:1", expires: Support.Clock().now() + .seconds(10)))
        #expect(try client.subscribe(identifier) == "confirm_subscription")
        #expect(try client.html() == #"<turbo-stream action="refresh"></turbo-stream>"#)
        #expect(try client.next()["type"]?.text == "reject_subscription")
        // The connection itself goes on.
        #expect(try client.subscribe(CableClient.identifier(try sign("room:1"))) == "confirm_subscription")
    }

    @Test func aNameThatHasEndedRefreshesThePage() throws {
        let client = try CableClient(port: server.port)
        try client.send(
            "subscribe",
            identifier: CableClient.identifier(try sign("room:1", expires: Support.Clock().now() - .seconds(1)))
        )
        #expect(try client.html().contains("refresh"))
        #expect(try client.next()["type"]?.text == "reject_subscription")
    }

    @Test(arguments: [-1000, 10_000])
    func aWebSocketWhoseNameEndsLosesItsElementAndRefreshes(_ milliseconds: Int64) throws {
        try publish("secret of a name that has ended")
        let name = try sign("room:1", expires: Support.Clock().now() + .milliseconds(milliseconds))
        let page = try PageWebSocket(port: server.port, path: "/streams?name=\(name)&since=x")
        var text = try page.text()
        if milliseconds > 0 {
            #expect(text.contains("secret"))
            text = try page.text()
        }
        let signature = name.suffix(64).prefix(32)
        #expect(
            text
                == #"<turbo-stream action="remove" targets="turbo-stream-source[src*='\#(signature)']"></turbo-stream>"#
                + #"<turbo-stream action="refresh"></turbo-stream>"#
        )
        #expect(throws: RawSocketError.closed) { try page.text() }
    }

    @Test(arguments: [-1000, 10_000])
    func anEventStreamWhoseNameEndsIsToldToRefreshWith200(_ milliseconds: Int64) throws {
        let name = try sign("room:1", expires: Support.Clock().now() + .milliseconds(milliseconds))
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        #expect(page.status == 200)
        #expect(try page.message().data?.hasSuffix(#"<turbo-stream action="refresh"></turbo-stream>"#) == true)
        #expect(throws: RawSocketError.closed) { try page.message() }
    }

    // MARK: The drain

    @Test func aDrainTellsEveryClientToComeBack() throws {
        let name = try sign("room:1")
        let cable = try CableClient(port: server.port)
        #expect(try cable.subscribe(CableClient.identifier(name)) == "confirm_subscription")
        let events = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        _ = try events.block()
        let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)")
        try publish("live")
        _ = try (cable.html(), events.message(), socket.text())
        server.process.send(.terminate)
        let goodbye = try cable.next()
        #expect(goodbye["type"]?.text == "disconnect" && goodbye["reason"]?.text == "server_restart")
        #expect(goodbye["reconnect"]?.boolean == true)
        #expect(try cable.closeCode() == 1012)
        let retry = try #require(try events.block().retry.flatMap { Int($0) })
        #expect((1000...4000).contains(retry))
        let replacement = try socket.text()
        #expect(replacement.hasPrefix(#"<turbo-stream action="replace" targets="turbo-stream-source[src*='"#))
        // The id of every element that opens `room:1`.
        #expect(replacement.contains(#"<turbo-stream-source id="paycast-4217a7ce1ff75fe3" src="//127.0.0.1:"#))
        #expect(try server.process.waitForExit() == 0)
    }
}

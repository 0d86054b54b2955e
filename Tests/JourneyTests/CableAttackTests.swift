import Encoding
import TestSupport
import Testing

/// What a hostile client of Action Cable may send: each has its answer, and nobody else notices.
@Suite(.blocking) struct CableAttackTests {
    /// What ends the connection, or what is answered.
    enum Outcome: Equatable {
        case closed(Int)
        case disconnected(String)
        case rejected
        /// Nothing is said, and the next honest subscription works.
        case ignored
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        let outcome: Outcome
        let send: @Sendable (CableClient) throws -> Void
        var testDescription: String { name }

        init(_ name: String, outcome: Outcome, send: @escaping @Sendable (CableClient) throws -> Void) {
            self.name = name
            self.outcome = outcome
            self.send = send
        }

        /// One text frame.
        init(_ name: String, outcome: Outcome, text: String) {
            self.init(name, outcome: outcome) { try $0.webSocket.send(text: text) }
        }

        /// One `subscribe`.
        init(_ name: String, outcome: Outcome, identifier: String) {
            self.init(name, outcome: outcome) { try $0.send("subscribe", identifier: identifier) }
        }
    }

    private static let forged =
        #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"InJvb206MSI=--\#(String(repeating: "0", count: 64))"}"#

    static let attacks = [
        Attack("a frame of 17 KB", outcome: .closed(1009), text: String(repeating: " ", count: 17_000)),
        Attack("a message of endless fragments", outcome: .closed(1009)) { client in
            try client.webSocket.send(.text, payload: [], isFinal: false)
            for _ in 0..<20 {
                try client.webSocket.send(.continuation, payload: [UInt8](repeating: 32, count: 1000), isFinal: false)
            }
        },
        Attack("a binary frame", outcome: .closed(1003)) { try $0.webSocket.send(.binary, payload: [1, 2, 3]) },
        Attack("text that is no UTF-8", outcome: .closed(1007)) {
            try $0.webSocket.send(.text, payload: [0xFF, 0xFE])
        },
        Attack("601 commands a minute", outcome: .disconnected("too_many_commands")) { client in
            for _ in 0..<601 { try client.webSocket.send(text: "{}") }
        },
        Attack("a subscribe in two fragments that says nothing", outcome: .ignored) { client in
            try client.webSocket.send(.text, payload: Array("{".utf8), isFinal: false)
            try client.webSocket.send(.continuation, payload: Array("}".utf8))
        },
        Attack("no JSON", outcome: .ignored, text: "subscribe"),
        Attack("nothing", outcome: .ignored, text: ""),
        Attack("an unknown command", outcome: .ignored, text: #"{"command":"explode","identifier":"{}"}"#),
        Attack("deep JSON", outcome: .ignored, text: String(repeating: #"{"command":"#, count: 1000)),
        Attack(
            "an identifier that is an object",
            outcome: .ignored,
            text: #"{"command":"subscribe","identifier":{"a":1}}"#
        ),
        Attack("an identifier that is a number", outcome: .ignored, text: #"{"command":"subscribe","identifier":7}"#),
        Attack("unsubscribing what never was", outcome: .ignored, text: #"{"command":"unsubscribe","identifier":"x"}"#),
        Attack("a forged name", outcome: .rejected, identifier: forged),
        Attack("an identifier that is no JSON", outcome: .rejected, identifier: "room:1"),
        Attack("an identifier that is an array", outcome: .rejected, identifier: "[]"),
        Attack("an identifier without a name", outcome: .rejected, identifier: #"{"channel":"AdminChannel"}"#),
        Attack(
            "a name with control characters",
            outcome: .rejected,
            identifier: #"{"signed_stream_name":"\u0000\u0007"}"#
        ),
        Attack(
            "an identifier of half a surrogate",
            outcome: .ignored,
            text: #"{"command":"subscribe","identifier":"\ud800"}"#
        ),
    ]

    @Test(arguments: attacks) func isAnswered(_ attack: Attack) throws {
        let server = try PaycastServer()
        let honest = try CableClient(port: server.port)
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let identifier = CableClient.identifier(String(sign.output.split(separator: "\n").first ?? ""))
        let client = try CableClient(port: server.port)
        try attack.send(client)
        switch attack.outcome {
        case .closed(let code): #expect(try client.closeCode() == code)
        case .disconnected(let reason):
            #expect(try client.next()["reason"]?.text == reason)
            #expect(try client.closeCode() == 1013)
        case .rejected: #expect(try client.next()["type"]?.text == "reject_subscription")
        case .ignored: #expect(try client.subscribe(identifier) == "confirm_subscription")
        }
        #expect(try honest.subscribe(identifier) == "confirm_subscription")
        #expect(try server.paycast("version").waitForExit() == 0)
    }

    /// A page on `/streams` breaks the same rules, and is not one of them.
    @Test func refusedFramesAreCountedOfCableClientsOnly() throws {
        let server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let name = String(sign.output.split(separator: "\n").first ?? "").replacing("=", with: "%3D")
        let page = try RawWebSocket(port: server.port, path: "/streams?name=\(name)")
        #expect(page.isAccepted)
        let client = try CableClient(port: server.port)
        for socket in [page.socket, client.webSocket.socket] {
            try socket.send([0xFF, 0xFF])
            _ = try socket.readToEnd()
        }
        let metrics = try server.connect()
        try metrics.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let text = String(decoding: try metrics.readToEnd(), as: UTF8.self)
        #expect(text.contains("\npaycast_cable_refused_frames_total 1\n"))
    }

    @Test func theHundredAndFirstSubscriptionIsRejected() throws {
        let server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let name = String(sign.output.split(separator: "\n").first ?? "")
        let client = try CableClient(port: server.port)
        for number in 1...100 {
            let identifier = #"{"signed_stream_name":\#(JSONLiteral.literal(name)),"number":\#(number)}"#
            #expect(try client.subscribe(identifier) == "confirm_subscription")
        }
        #expect(try client.subscribe(CableClient.identifier(name)) == "reject_subscription")
    }

    struct Upgrade: Sendable, CustomTestStringConvertible {
        let name: String
        var headers: [(String, String)] = []
        var subprotocols = ["actioncable-v1-json"]
        let status: Int
        var testDescription: String { name }
    }

    static let upgrades = [
        Upgrade(name: "another origin", headers: [("Origin", "https://evil.example")], status: 404),
        Upgrade(name: "the origin null", headers: [("Origin", "null")], status: 404),
        Upgrade(name: "no origin", status: 101),
        Upgrade(name: "no subprotocol", subprotocols: [], status: 101),
    ]

    @Test(arguments: upgrades) func upgradesAreForPagesOfTheSameOrigin(_ upgrade: Upgrade) throws {
        let server = try PaycastServer()
        let client = try RawWebSocket(
            port: server.port,
            path: "/cable",
            subprotocols: upgrade.subprotocols,
            headers: upgrade.headers
        )
        #expect(client.status == upgrade.status)
    }

    @Test func whatIsNoWebSocketIsNotFound() throws {
        let server = try PaycastServer()
        let socket = try server.connect()
        try socket.send("GET /cable HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 404 "))
    }
}

public import Encoding

/// A client of Action Cable over a WebSocket of its own; what it says and hears is JSON text.
public final class CableClient {
    public let webSocket: RawWebSocket
    /// What the server said first.
    public let welcome: JSONNode

    public init(
        port: Int,
        query: String = "",
        subprotocol: String = "actioncable-v1-json",
        headers: [(String, String)] = []
    ) throws {
        webSocket = try RawWebSocket(
            port: port,
            path: "/cable\(query)",
            subprotocols: [subprotocol],
            headers: headers
        )
        welcome = JSONNode(try webSocket.text()) ?? .null
    }

    /// What a page that was rendered by turbo-rails subscribes to.
    public static func identifier(_ signedName: String, since: String? = nil) -> String {
        let rest = since.map { #","since":\#(JSONLiteral.literal($0))"# } ?? ""
        return #"{"channel":"Turbo::StreamsChannel","signed_stream_name":\#(JSONLiteral.literal(signedName))\#(rest)}"#
    }

    public func send(_ command: String, identifier: String, adding rest: String = "") throws {
        try webSocket.send(
            text: #"{"command":"\#(command)","identifier":\#(JSONLiteral.literal(identifier))\#(rest)}"#
        )
    }

    /// Subscribes and waits for the verdict.
    @discardableResult
    public func subscribe(_ identifier: String, adding rest: String = "") throws -> String {
        try send("subscribe", identifier: identifier, adding: rest)
        return try next()["type"]?.text ?? "a message"
    }

    /// The next message that is no ping.
    public func next() throws -> JSONNode {
        let deadline = Deadline(.seconds(60))
        while !deadline.hasPassed {
            let node = JSONNode(try webSocket.text()) ?? .null
            if node["type"]?.text != "ping" { return node }
        }
        throw RawSocketError.timedOut
    }

    /// The HTML of the next message that is no ping.
    public func html() throws -> String {
        try next()["message"]?.text ?? "no message"
    }

    /// The code of the close frame that ends the connection; what comes before it is read over.
    public func closeCode() throws -> Int {
        let deadline = Deadline(.seconds(60))
        while !deadline.hasPassed {
            let frame = try webSocket.frame()
            guard frame.opcode == .close else { continue }
            return frame.payload.count >= 2 ? Int(frame.payload[0]) << 8 | Int(frame.payload[1]) : 1005
        }
        throw RawSocketError.timedOut
    }
}

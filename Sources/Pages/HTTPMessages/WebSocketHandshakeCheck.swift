import HTTP

/// Decides whether a request is a WebSocket's handshake (RFC 6455 §4.2.1), by its version and its key. Whether the page of
/// another site may open one is decided by `OriginCheck`, afterwards.
public struct WebSocketHandshakeCheck: Sendable {
    /// How to answer an upgrade.
    public enum Admission: Sendable {
        case refuse(Response)
        /// `key` is the value of `Sec-WebSocket-Accept`.
        case accept(key: String)
    }

    public init() {}

    public func admit(_ request: Request) -> Admission {
        guard request.route.isUpgradable, request.method == "GET" else {
            return .refuse(.error(404, code: "no_websocket", message: "No WebSocket is served here."))
        }
        guard request.head[.webSocketVersion] == Handshake.version else {
            return .refuse(WebSocketHandshakeCheck.otherVersion)
        }
        guard let key = request.head.bytes(.webSocketKey).flatMap(Handshake.accept) else {
            return .refuse(WebSocketHandshakeCheck.noKey)
        }
        return .accept(key: key)
    }

    private static let otherVersion = Response.error(
        426,
        code: "websocket_version",
        message: "WebSockets of version 13 are served here (RFC 6455).",
        headers: [("Sec-WebSocket-Version", Handshake.version), ("Upgrade", "websocket")]
    )

    private static let noKey = Response.error(
        400,
        code: "websocket_key",
        message: "Sec-WebSocket-Key must be 16 bytes in Base64, sent once."
    )
}

extension Request {
    /// The subprotocol that the client prefers among those that we speak.
    public var offeredProtocol: CableProtocol? {
        let offers = (head[.webSocketProtocol] ?? "").utf8.split(separator: UInt8(ascii: ","))
        for offer in offers {
            let name = offer.drop { $0 == UInt8(ascii: " ") }
            if let known = CableProtocol(rawValue: String(Substring(name))) { return known }
        }
        return nil
    }
}

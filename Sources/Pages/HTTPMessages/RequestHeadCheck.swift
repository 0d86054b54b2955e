public import HTTP

/// Decides from a request's head alone: refuse it, wait for its body, or hand it on.
public enum RequestHeadCheck: Sendable {
    case refuse(Response)
    case collect(length: Int)
    case handle

    /// 256 KiB: a genuine notification has about 19 kB.
    static let bodyLimit = 256 << 10

    /// `route` is the one that its path names.
    public init(_ head: RequestHead, to route: Route) {
        self = RequestHeadCheck.refusal(of: head, by: route).map { .refuse($0) } ?? RequestHeadCheck.body(after: head)
    }

    /// A file can only be read: with any other method, the request means a route that does not exist.
    private static func refusal(of head: RequestHead, by route: Route) -> Response? {
        switch route {
        case .server where route.takes(head.method): Response(status: 204, headers: [("Allow", Route.allMethods)])
        case _ where route.takes(head.method): nil
        case .file: .notFound
        default:
            .error(
                405,
                code: "method_not_allowed",
                message: "This address accepts only \(route.methods).",
                headers: [("Allow", route.methods)]
            )
        }
    }

    /// Only the body of a `POST` or a `PUT` is collected, and only if its head states the length.
    private static func body(after head: RequestHead) -> RequestHeadCheck {
        guard !head.hasTransferEncoding else { return .refuse(lengthRequired) }
        guard head.method == "POST" || head.method == "PUT" else { return .handle }
        guard let length = head.contentLength else { return .refuse(lengthRequired) }
        guard length <= bodyLimit else {
            return .refuse(.error(413, code: "body_too_large", message: "A body may have 256 KiB at the most."))
        }
        guard head.expectation != .unknown else {
            return .refuse(
                .error(417, code: "expectation_failed", message: "Of Expect, only 100-continue is understood.")
            )
        }
        return .collect(length: length)
    }

    private static let lengthRequired = Response.error(
        411,
        code: "length_required",
        message: "Send the body in one piece, with Content-Length."
    )
}

/// Decides whether a request is a WebSocket's handshake (RFC 6455 §4.2.1), by its version and its key. Whether the page of
/// another site may open one is decided by `OriginCheck`, afterwards.
public enum WebSocketHandshakeCheck: Sendable {
    case refuse(Response)
    /// `key` is the value of `Sec-WebSocket-Accept`.
    case accept(key: String)

    public init(_ request: Request) {
        guard request.route.isUpgradable, request.method == "GET" else {
            self = .refuse(.error(404, code: "no_websocket", message: "No WebSocket is served here."))
            return
        }
        guard request.head[.webSocketVersion] == Handshake.version else {
            self = .refuse(WebSocketHandshakeCheck.otherVersion)
            return
        }
        let key = request.head.bytes(.webSocketKey).flatMap(Handshake.accept)
        self = key.map { .accept(key: $0) } ?? .refuse(WebSocketHandshakeCheck.noKey)
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

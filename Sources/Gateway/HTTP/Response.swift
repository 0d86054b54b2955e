/// A whole HTTP answer.
public struct Response: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public init(status: Int, contentType: String, body: String) {
        self.init(status: status, headers: [("Content-Type", contentType)], body: Array(body.utf8))
    }

    /// `{"error":…,"message":…}`: a code for programs and a sentence for people, nothing of the request's secrets.
    public static func error(
        _ status: Int,
        _ code: String,
        _ message: String,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        var response = JSON.response(status, ErrorBody(error: code, message: message))
        response.headers += headers
        return response
    }

    /// Come back in `seconds`: nothing was lost, nothing was done.
    public static func unavailable(_ code: String, _ message: String, retryAfter seconds: Int = 5) -> Response {
        error(503, code, message, headers: [("Retry-After", String(seconds))])
    }

    /// A queue is full, or the server is going down.
    static var busy: Response { .unavailable("busy", "The server takes no more for now; nothing was stored.") }

    static var ownConnection: Response {
        .error(400, "upgrade_on_used_connection", "Open a WebSocket on a connection of its own.")
    }

    static var pipelined: Response {
        .error(400, "pipelined_body", "Wait for the answer before the next request that has a body.")
    }

    private struct ErrorBody: Encodable {
        var error: String
        var message: String
    }
}

extension Response {
    /// The bytes on the wire, in one piece, so that a small answer is one `send`.
    func encoded(keepAlive: Bool, includingBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Response.reason(status))\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if status != 304 { head += "Content-Length: \(body.count)\r\n" }
        head += "Connection: \(keepAlive ? "keep-alive" : "close")\r\n\r\n"
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        bytes.reserveCapacity(Socket.headroom + head.utf8.count + body.count)
        bytes += head.utf8
        if includingBody { bytes += body }
        return bytes
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 422: "Unprocessable Content"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

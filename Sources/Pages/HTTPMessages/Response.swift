public import APIModel
public import HTTP

/// A complete HTTP answer.
public struct Response: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Sent in pieces instead of `body`.
    public var file: FileBody?

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public init(status: Int, contentType: String, body: String) {
        self.init(status: status, headers: [("Content-Type", contentType)], body: Array(body.utf8))
    }

    /// `{"error":…,"message":…}`: a code for programs and a sentence for people, without secrets from the request.
    public static func error(
        _ status: Int,
        code: String,
        message: String,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        var response = JSON.response(status, body: ErrorAnswer(error: code, message: message))
        response.headers += headers
        return response
    }

    /// Asks the client to come back in `seconds`: nothing was done, and nothing was lost.
    public static func unavailable(_ code: String, message: String, retryAfter seconds: Int = 5) -> Response {
        error(503, code: code, message: message, headers: [("Retry-After", String(seconds))])
    }

    /// A queue is full, or the server is shutting down.
    public static var busy: Response {
        .unavailable("busy", message: "The server is too busy right now; nothing was stored.")
    }

    /// There is no such route, and no such file.
    public static let notFound = error(404, code: "not_found", message: "There is nothing at this address.")

    /// Every place is taken. A page would stay connected, so it has to come back later.
    public static var full: Response {
        .unavailable("too_many_connections", message: "Too many connections; try again later.")
    }

    /// The answer to a head that breaks the rules.
    public static func flawed(_ flaw: HeadFlaw) -> Response {
        error(flaw.status, code: flaw.code, message: flaw.description)
    }
}

extension Response {
    /// `keepAlive`: the connection stays open for another request.
    public func head(keepAlive: Bool) -> ResponseHead {
        // Neither status has a body, so `Content-Length: 0` would be wrong in both (RFC 9110 §8.6).
        let hasLength = status != 204 && status != 304
        let length = hasLength ? file?.range.count ?? body.count : nil
        return ResponseHead(status: status, headers: headers, length: length, keepAlive: keepAlive)
    }
}

extension JSON {
    public static func response(_ status: Int, body value: some Encodable) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: encode(value))
    }
}

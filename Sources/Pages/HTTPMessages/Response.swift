public import APIModel
import Glibc
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
        Response(
            status: status,
            headers: [("Content-Type", "application/json")] + headers,
            body: ErrorAnswer(error: code, message: message).json
        )
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

/// Whole answers instead of a stream: an EventSource is never ended for what a retry cures.
extension EventStream {
    /// Makes the page reload and thereby get a valid name.
    public static func expired(_ source: SourceElement, allowedOrigin: String?) -> Response {
        let body = Array("retry: \(expiredRetry)\n\n".utf8) + event(source.renewal, cursor: nil)
        return answer(body, allowedOrigin: allowedOrigin)
    }

    /// Says nothing, so that the browser asks again in a minute.
    public static func wait(allowedOrigin: String?) -> Response {
        answer(Array("retry: 60000\n\n".utf8), allowedOrigin: allowedOrigin)
    }

    /// Every place is taken, so the browser asks again after a random delay.
    public static func turnedAway(allowedOrigin: String?) -> Response {
        answer(Array("retry: \(Int.random(in: 5000...15_000))\n\n".utf8), allowedOrigin: allowedOrigin)
    }

    /// The browser reads it and connects again.
    private static func answer(_ body: [UInt8], allowedOrigin: String?) -> Response {
        var headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-store, no-transform")]
        if let allowedOrigin { headers.append(("Access-Control-Allow-Origin", allowedOrigin)) }
        return Response(status: 200, headers: headers, body: body)
    }
}

/// The body of an answer that is not held in memory.
public struct FileBody: Sendable {
    private let file: OpenFile
    /// The part that is still to be sent.
    public var range: Range<Int>

    /// Bytes that are read ahead of what the peer has taken.
    public static let pieceSize = 64 << 10

    public init(file: OpenFile, range: Range<Int>) {
        self.file = file
        self.range = range
    }

    /// The next piece; nil when the file has become shorter than it was.
    public mutating func next() -> [UInt8]? {
        let wanted = min(range.count, FileBody.pieceSize)
        let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = max(0, pread(file.descriptor, buffer.baseAddress, wanted, range.lowerBound))
        }
        guard !piece.isEmpty else { return nil }
        range = (range.lowerBound + piece.count)..<range.upperBound
        return piece
    }
}

/// An open file that is sent in pieces, and closed when its last owner releases it. Sendable: the kernel lets any
/// thread read it, and `pread` has no position that two threads could share.
public final class OpenFile: Sendable {
    fileprivate let descriptor: Int32

    /// Takes over `descriptor`.
    public init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        close(descriptor)
    }
}

/// HTTP/1.1 requests out of raw bytes (RFC 9112), for connections whose sender has proven a key.
///
/// lws asks the kernel six times to change what it waits for at every request on a kept connection; a publisher that
/// sends thousands a second is read without that. Strict: what is not plainly a request is malformed.
struct RequestParser {
    enum Result {
        case incomplete
        case malformed
        case request(RequestHead, body: [UInt8])
        /// The gate does not let it in; its body has not been read.
        case refused(Response, RequestHead)
    }

    private static let headLimit = 16 << 10
    /// How much of what has been read is kept, so that a small request does not move what stands behind it.
    private static let readLimit = 64 << 10

    private var bytes: [UInt8] = []
    /// What stands before has been read.
    private var start = 0
    private var head: (head: RequestHead, bodyLength: Int)?

    /// Nothing of a next request has come yet.
    var isEmpty: Bool { start == bytes.count && head == nil }

    /// How many bytes it holds, read or not.
    var heldBytes: Int { bytes.count }

    /// False when more waits than a sender may have on the way.
    mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
        // A sender whose pieces never end where a request does would otherwise grow it for ever.
        if start == bytes.count || start > RequestParser.readLimit {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes += more
        return bytes.count - start <= RequestGate.bodyLimit + 2 * RequestParser.headLimit
    }

    /// The next whole request, if it is there.
    mutating func next(_ gate: RequestGate) -> Result {
        if head == nil {
            guard let end = headEnd else {
                return bytes.count - start > RequestParser.headLimit ? .malformed : .incomplete
            }
            guard let parsed = RequestHead(parsing: bytes[start..<end]) else { return .malformed }
            start = end + 4
            switch gate.admit(parsed, to: Route(path: parsed.path)) {
            case .refuse(let response): return .refused(response, parsed)
            case .collect(let length): head = (parsed, length)
            case .handle: head = (parsed, 0)
            }
        }
        guard let (parsed, length) = head, bytes.count - start >= length else { return .incomplete }
        head = nil
        let body = Array(bytes[start..<(start + length)])
        start += length
        return .request(parsed, body: body)
    }

    /// Where the empty line begins.
    private var headEnd: Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index + 3 < bytes.count {
                if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                    return index
                }
                index += 1
            }
            return nil
        }
    }
}

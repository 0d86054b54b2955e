/// The answer to bytes that lws could not read as HTTP.
enum MalformedRequest {
    static let answer = Response.error(400, "malformed_request", "This is no HTTP/1.1 request.")

    /// An unknown method on a line that is HTTP otherwise is a wrong method; everything else is no HTTP.
    static func response(to bytes: UnsafeRawBufferPointer) -> Response {
        let line = bytes.prefix { $0 != 13 && $0 != 10 }
        let words = line.prefix(8192).split(separator: 32, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].count <= 32, words[0].allSatisfy(isTokenByte),
            words[1].first == UInt8(ascii: "/"), words[2].starts(with: "HTTP/1.".utf8)
        else {
            return answer
        }
        let target = words[1].prefix { $0 != UInt8(ascii: "?") }
        return RequestGate.methodNotAllowed(Route(path: String(decoding: target, as: UTF8.self)))
    }

    /// RFC 9110, 5.6.2, as far as methods use it.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
    }
}

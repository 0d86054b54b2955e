/// A client's name for one request: repeating the request under the same key has no further effect
/// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
public struct IdempotencyKey: Sendable, Equatable {
    private static let limit = 255

    /// 1…255 characters of printable ASCII.
    public let text: String

    /// Reads a header's value: a quoted string, as the draft requires (RFC 8941 §3.3.3), or the bare text that most
    /// clients send, without spaces and quotes. Both forms give the same key. Returns nil for anything else.
    public init?(header value: String) {
        let bytes = Array(value.utf8)
        guard let content = bytes.first == quote ? IdempotencyKey.quoted(bytes) : IdempotencyKey.bare(bytes),
            (1...IdempotencyKey.limit).contains(content.count)
        else { return nil }
        text = String(decoding: content, as: UTF8.self)
    }

    private static func bare(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != quote } ? bytes : nil
    }

    /// Between the quotes, a backslash may stand only before a quote or another backslash.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 2, bytes.last == quote else { return nil }
        var content: [UInt8] = []
        var rest = bytes.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard (0x20...0x7E).contains(byte), byte != quote else { return nil }
            guard byte == backslash else {
                content.append(byte)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == quote || escaped == backslash else { return nil }
            content.append(escaped)
        }
        return content
    }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")

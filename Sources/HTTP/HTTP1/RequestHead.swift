/// The head of one request, parsed once and strictly (RFC 9112). Everything behind a socket sees only this parsed form.
/// It is a class since every step of a request passes it on: copying its members would cost more than parsing.
public final class RequestHead: Sendable {
    /// The most bytes of a whole head.
    public static let sizeLimit = 16 << 10
    /// The most bytes of its first line.
    public static let lineLimit = 8 << 10
    public static let fieldLimit = 100

    /// The method as it was sent: methods are case-sensitive (RFC 9110 §9.1).
    public let method: String
    /// Percent-decoded; begins with `/`, or is `*`.
    public let path: String
    public let query: Query
    /// The authority of the target or, if it has none, of `Host`. Nil only in HTTP/1.0.
    public let host: String?
    public let isHTTP10: Bool
    /// The length of the body; nil when the head does not state it.
    public let contentLength: Int?
    /// The head as it was sent, including the values of `fields`.
    let text: [UInt8]
    private let fields: [Field]

    struct Field: Sendable {
        let name: FieldName
        /// The range of its value in `text`.
        let value: Range<Int>
    }

    init(line: RequestLine, fields: [Field], of text: [UInt8]) throws(HeadFlaw) {
        method = line.method
        self.text = text
        path = line.target.path
        query = line.target.query
        isHTTP10 = line.isHTTP10
        self.fields = fields
        contentLength = try RequestHead.contentLength(fields, of: text)
        let named = try RequestHead.host(fields, of: text)
        // With an absolute target, `Host` is ignored, though it has to be there (RFC 9112 §3.2.2).
        guard named != nil || isHTTP10 else { throw .host }
        host = line.target.authority ?? named
    }

    /// The value of a field, with several lines joined as one comma list. Nil when it was not sent.
    public subscript(name: FieldName) -> String? {
        var joined: String?
        for field in fields where field.name == name {
            let value = String(decoding: text[field.value], as: UTF8.self)
            joined = joined.map { "\($0), \(value)" } ?? value
        }
        return joined
    }

    /// The bytes of a field that occurs once.
    public func bytes(_ name: FieldName) -> ArraySlice<UInt8>? {
        fields.first { $0.name == name }.map { text[$0.value] }
    }

    public func has(_ name: FieldName) -> Bool { fields.contains { $0.name == name } }

    /// Whether a comma list has an item, compared without regard to case.
    public func lists(_ item: StaticString, in name: FieldName) -> Bool {
        for field in fields where field.name == name {
            var rest = text[field.value]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                if rest[..<end].trimmed.isSameToken(as: item) { return true }
                rest = rest[end...].dropFirst()
            }
        }
        return false
    }

    /// True whatever the value is: a body with any transfer coding is refused.
    public var hasTransferEncoding: Bool { has(.transferEncoding) }

    /// The sender will send no further request on this connection (RFC 9112 §9.3).
    public var isLast: Bool {
        lists("close", in: .connection) || isHTTP10 && !lists("keep-alive", in: .connection)
    }

    /// Whether it asks for a WebSocket (RFC 6455 §4.2.1). Any other protocol may be ignored (RFC 9110 §7.8). So is an
    /// upgrade with a body, since proxies do not agree on where the other protocol would begin.
    public var asksForWebSocket: Bool {
        !isHTTP10 && method == "GET" && contentLength ?? 0 == 0 && !hasTransferEncoding
            && lists("websocket", in: .upgrade) && lists("upgrade", in: .connection)
    }

    public enum Expectation: Sendable {
        case nothing
        /// The client sends its body only when told to (RFC 9110 §10.1.1).
        case toContinue
        case unknown
    }

    /// HTTP/1.0 has no expectations.
    public var expectation: Expectation {
        guard !isHTTP10, let text = bytes(.expect) else { return .nothing }
        return text.isSameToken(as: "100-continue") ? .toContinue : .unknown
    }

    /// Whether a proxy passed it on, trusted or not.
    public var isForwarded: Bool {
        has(.forwardedFor) || has(.realIP) || has(.via) || has(.forwarded) || has(.forwardedProto)
            || has(.forwardedHost)
    }

    private static func contentLength(_ fields: [Field], of text: [UInt8]) throws(HeadFlaw) -> Int? {
        guard let field = fields.first(where: { $0.name == .contentLength }) else { return nil }
        let digits = text[field.value]
        guard (1...18).contains(digits.count), digits.allSatisfy(isDigit) else { throw .contentLength }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func host(_ fields: [Field], of text: [UInt8]) throws(HeadFlaw) -> String? {
        guard let field = fields.first(where: { $0.name == .host }) else { return nil }
        guard Authority.isValid(text[field.value]) else { throw .host }
        return String(decoding: text[field.value], as: UTF8.self)
    }
}

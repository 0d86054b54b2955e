import Encoding

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

    /// Reads a complete head: from the method up to and including the empty line.
    ///
    /// Strict where parsers differ, since each such difference has been used to smuggle one request inside another: no
    /// folded line, no white space before a colon, no bare CR or LF, and no second line of a field that may occur once.
    public init(parsing slice: ArraySlice<UInt8>) throws(HeadFlaw) {
        let text = Array(slice)
        var lines = HeadLines()
        guard let first = try lines.next(in: text.span) else { throw .requestLine }
        let line = try RequestLine(text, in: first)
        var fields: [Field] = []
        fields.reserveCapacity(8)
        var count = 0
        while let next = try lines.next(in: text.span) {
            count += 1
            guard count <= RequestHead.fieldLimit else { throw .tooLarge }
            guard let field = try Field(text.span, in: next) else { continue }
            guard field.name.isList || !fields.contains(where: { $0.name == field.name }) else {
                throw field.name.flawWhenRepeated
            }
            fields.append(field)
        }
        guard lines.position == text.count else { throw .fieldLine }
        method = line.method
        path = line.target.path
        query = line.target.query
        isHTTP10 = line.isHTTP10
        self.text = text
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

extension RequestHead {
    /// A field by its name in lower case, including those that no route reads: it searches the whole head. Nil if the
    /// field was not sent, or was sent twice, since nobody can tell which one was meant.
    public func field(named name: StaticString) -> String? {
        if let known = FieldName(rawValue: "\(name)") { return self[known] }
        let bytes = text
        var lines = HeadLines()
        var value: String?
        do throws(HeadFlaw) {
            _ = try lines.next(in: bytes.span)
            while let line = try lines.next(in: bytes.span) {
                let field = text[line]
                let colon = field.firstIndex(of: UInt8(ascii: ":")) ?? field.endIndex
                guard field[..<colon].isSameToken(as: name) else { continue }
                guard value == nil else { return nil }
                value = String(decoding: field[colon...].dropFirst().trimmed, as: UTF8.self)
            }
        } catch {
            return nil
        }
        return value
    }
}

extension RequestHead {
    /// The target as it was sent: still percent-encoded.
    public var target: String {
        let target = text.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        return String(decoding: target, as: UTF8.self)
    }

    /// The path of the target, split before it is decoded: a part may have an escaped slash in it. Nil for `*`, and for a
    /// part that is no text. The parts of `/` are none.
    public var pathComponents: [String]? {
        let target = target.utf8[...]
        let scheme = target.first == UInt8(ascii: "/") ? nil : target.firstRange(of: Array("://".utf8))
        let rest = scheme.map { target[$0.upperBound...].drop { $0 != UInt8(ascii: "/") } } ?? target
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/") else { return nil }
        guard path.count > 1 else { return [] }
        var components: [String] = []
        for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let component = PercentEncoding.decode(Array(part)[...]) else { return nil }
            components.append(component)
        }
        return components
    }
}

extension FieldName {
    fileprivate var flawWhenRepeated: HeadFlaw {
        switch self {
        case .host: .host
        case .contentLength: .contentLength
        default: .repeatedField
        }
    }
}

/// Goes through a head line by line and rejects control characters. Stops after the empty line.
private struct HeadLines {
    private(set) var position = 0
    private var hasEnded = false

    /// The next line without its CR LF. Nil at the empty line.
    mutating func next(in bytes: Span<UInt8>) throws(HeadFlaw) -> Range<Int>? {
        guard !hasEnded else { return nil }
        let start = position
        var end = start
        while end < bytes.count, isFieldByte(bytes[end]) { end = offsetOfControl(in: bytes, from: end + 1) }
        guard end + 1 < bytes.count, bytes[end] == carriageReturn, bytes[end + 1] == lineFeed else {
            throw .controlCharacter
        }
        position = end + 2
        hasEnded = end == start
        return hasEnded ? nil : start..<end
    }
}

extension RequestHead.Field {
    /// `line` has no control character. Returns nil for a field that nobody reads, after checking it like the others.
    init?(_ bytes: Span<UInt8>, in line: Range<Int>) throws(HeadFlaw) {
        var colon = line.lowerBound
        while colon < line.upperBound, isTokenByte(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":") else {
            throw .fieldLine
        }
        var start = colon + 1
        var end = line.upperBound
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        guard let name = FieldName(bytes, in: line.lowerBound..<colon) else { return nil }
        // These two decide where a request goes and where it ends. nginx and llhttp accept no tab around their values.
        if name == .host || name == .contentLength {
            for index in line where bytes[index] == 9 { throw name.flawWhenRepeated }
        }
        self.name = name
        value = start..<end
    }
}

/// `METHOD TARGET HTTP/1.1`, with one space each (RFC 9112 §3).
struct RequestLine {
    let method: String
    let target: RequestTarget
    let isHTTP10: Bool

    /// More than any registered method needs.
    private static let methodLimit = 32

    /// `line` is the line's range in `text`, without its CR LF.
    init(_ text: [UInt8], in line: Range<Int>) throws(HeadFlaw) {
        guard line.count <= RequestHead.lineLimit else { throw .targetTooLong }
        let bytes = text.span
        var first = line.lowerBound
        while first < line.upperBound, isTokenByte(bytes[first]) { first += 1 }
        var last = line.upperBound - 1
        while last > first, bytes[last] != space { last -= 1 }
        let method = line.lowerBound..<first
        guard (1...RequestLine.methodLimit).contains(method.count), first < last, bytes[first] == space else {
            throw .requestLine
        }
        let target = (first + 1)..<last
        for index in target where bytes[index] == space { throw .requestLine }
        let version = text[(last + 1)..<line.upperBound]
        let isHTTP11 = version.isText("HTTP/1.1")
        isHTTP10 = !isHTTP11 && version.isText("HTTP/1.0")
        guard isHTTP11 || isHTTP10 else { throw version.prefix(5).isText("HTTP/") ? .version : .requestLine }
        self.method = String(decoding: text[method], as: UTF8.self)
        self.target = try RequestTarget(text[target], method: self.method)
    }
}

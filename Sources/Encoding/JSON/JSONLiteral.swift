/// JSON string literals (RFC 8259 §7): converts text to a literal and back.
public enum JSONLiteral {
    /// Escapes only what must be escaped, as Ruby's generator does.
    public static func literal(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the literal of a UTF-8 text, including its quotes.
    public static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        append(text.span, to: &bytes)
    }

    public static func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8Span.span, to: &bytes)
    }

    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(quote)
        var done = 0
        while done < text.count {
            let special = offsetOfStringEnd(in: text, from: done)
            text.extracting(done..<special).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            guard special < text.count else { break }
            appendEscape(of: text[special], to: &bytes)
            done = special + 1
        }
        bytes.append(quote)
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(backslash)
        guard byte < 32 else { return bytes.append(byte) }
        bytes += "u00".utf8
        bytes.append(hexDigits[Int(byte >> 4)])
        bytes.append(hexDigits[Int(byte & 15)])
    }

    /// Reads a text that is exactly one string literal; returns nil for any other text.
    public static func string(_ json: [UInt8]) -> String? {
        guard case .string(let body) = JSONNode(json) else { return nil }
        return text(body)
    }

    /// Unescapes the bytes between the quotes of a literal; returns nil when they are not UTF-8.
    static func text(_ body: ArraySlice<UInt8>) -> String? {
        hasEscape(body.span) ? unescaped(body) : validated(body.span)
    }

    private static func hasEscape(_ body: Span<UInt8>) -> Bool { offset(of: backslash, in: body) < body.count }

    /// Avoids `String(validating:as:)`, which requests metadata from the runtime at each call.
    static func validated(_ bytes: Span<UInt8>) -> String? {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch { return nil }
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func unescaped(_ body: ArraySlice<UInt8>) -> String? {
        var rest = body
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count)
        while true {
            let plain = offset(of: backslash, in: rest.span)
            bytes.append(contentsOf: rest.prefix(plain))
            guard plain < rest.count else { break }
            rest = rest.dropFirst(plain + 1)
            // A fast path that makes no scalar: markup is full of these two.
            if let next = rest.first, next == quote || next == backslash {
                bytes.append(next)
                rest = rest.dropFirst()
                continue
            }
            guard let scalar = escape(&rest), let encoded = UTF8.encode(scalar) else { return nil }
            bytes += encoded
        }
        return validated(bytes.span)
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch rest.popFirst().map({ Unicode.Scalar($0) }) {
        case "\"": "\""
        case "\\": "\\"
        case "/": "/"
        case "b": "\u{8}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "u": codePoint(&rest)
        default: nil
        }
    }

    /// A surrogate pair is one code point; half a pair is an error.
    private static func codePoint(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let high = unit(&rest) else { return nil }
        guard (0xD800...0xDBFF).contains(high) else { return Unicode.Scalar(high) }
        guard rest.popFirst() == backslash, rest.popFirst() == UInt8(ascii: "u"), let low = unit(&rest),
            (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(Hex.value) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}

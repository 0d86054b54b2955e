/// JSON string literals (RFC 8259 §7), for the one place where a decoder would cost more than the signature.
enum JSONText {
    /// Escapes what must be escaped and nothing else, as Ruby's generator does.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1F}":
                result += "\\u00" + Hex.encode(CollectionOfOne(UInt8(truncatingIfNeeded: scalar.value)))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Reads a text that is one string literal and nothing else; nil for any other text.
    static func string(_ json: [UInt8]) -> String? {
        guard json.count >= 2, json.first == quote, json.last == quote else { return nil }
        let body = json[1..<(json.count - 1)]
        guard !body.contains(where: { $0 < 32 }) else { return nil }
        if !body.contains(where: { $0 == quote || $0 == backslash }) { return String(validating: body, as: UTF8.self) }
        return unescaped(body)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private static func unescaped(_ body: ArraySlice<UInt8>) -> String? {
        var rest = body
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case quote: return nil
            case backslash:
                guard let scalar = escape(&rest) else { return nil }
                bytes += Array(String(scalar).utf8)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
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

    private static func codePoint(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let high = unit(&rest) else { return nil }
        guard (0xD800...0xDBFF).contains(high) else { return Unicode.Scalar(high) }
        guard rest.popFirst() == backslash, rest.popFirst() == UInt8(ascii: "u"), let low = unit(&rest),
            (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard digits.count == 4, let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)) else { return nil }
        return UInt32(bytes[0]) << 8 | UInt32(bytes[1])
    }
}

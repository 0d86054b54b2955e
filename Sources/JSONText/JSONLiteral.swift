/// JSON string literals (RFC 8259 §7): from the text to its literal, and back.
public enum JSONLiteral {
    /// Escapes what must be escaped and nothing else, as Ruby's generator does.
    public static func literal(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text.utf8, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the literal of a UTF-8 text, with its quotes.
    public static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(quote)
        for byte in text {
            switch byte {
            case quote, backslash:
                bytes.append(backslash)
                bytes.append(byte)
            case 0..<32:
                bytes += "\\u00".utf8
                bytes.append(hexDigits[Int(byte >> 4)])
                bytes.append(hexDigits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(quote)
    }

    /// Reads a text that is one string literal and nothing else; nil for any other text.
    public static func string(_ json: [UInt8]) -> String? {
        guard case .string(let body) = JSONNode(json) else { return nil }
        return text(body)
    }

    /// What stands between the quotes of a literal, unescaped; nil when that is no UTF-8 text.
    static func text(_ body: ArraySlice<UInt8>) -> String? {
        body.contains(backslash) ? unescaped(body) : String(validating: body, as: UTF8.self)
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func unescaped(_ body: ArraySlice<UInt8>) -> String? {
        var rest = body
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count)
        while let next = rest.firstIndex(of: backslash) {
            bytes += rest[..<next]
            rest = rest[(next + 1)...]
            // What markup is full of, without a way over a scalar.
            if rest.first == quote || rest.first == backslash {
                bytes.append(rest.removeFirst())
                continue
            }
            guard let scalar = escape(&rest), let encoded = UTF8.encode(scalar) else { return nil }
            bytes += encoded
        }
        bytes += rest
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

    /// A pair of surrogates is one code point; half a pair is none.
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
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard let number = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(number)
        }
        return value
    }
}

/// Percent-encoding in URLs (RFC 3986 §2.1).
public enum PercentEncoding {
    /// Encodes all but the unreserved characters (RFC 3986 §2.3). Forms write a space as `+`, like Ruby's `CGI.escape`.
    public static func encode(_ text: String, spaceIsPlus: Bool = false) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: encoded.append(byte)
            case space where spaceIsPlus: encoded.append(plus)
            default: encoded += [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes a whole text.
    public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        decode(Array(text.utf8)[...], plusIsSpace: plusIsSpace)
    }

    /// Returns nil for a broken escape, a NUL, or anything that is not UTF-8. Forms write a space as `+`.
    public static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        func isSpecial(_ byte: UInt8) -> Bool { byte == percent || byte == 0 || byte == plus && plusIsSpace }
        guard bytes.contains(where: isSpecial) else { return JSONLiteral.validated(bytes.span) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let next = rest.firstIndex(where: isSpecial) {
            decoded += rest[..<next]
            rest = rest[next...]
            guard let byte = takeSpecial(&rest), byte != 0 else { return nil }
            decoded.append(byte)
        }
        decoded += rest
        return JSONLiteral.validated(decoded.span)
    }

    /// Takes a plus sign, an escape or a NUL. Returns the byte for which it stands, and nil for a broken escape.
    private static func takeSpecial(_ bytes: inout ArraySlice<UInt8>) -> UInt8? {
        let first = bytes.removeFirst()
        guard first == percent else { return first == plus ? space : first }
        guard let high = bytes.popFirst().flatMap(Hex.value), let low = bytes.popFirst().flatMap(Hex.value) else {
            return nil
        }
        return high << 4 | low
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let space = UInt8(ascii: " ")
    private static let percent = UInt8(ascii: "%")
    private static let plus = UInt8(ascii: "+")
}

/// Makes parts of a request safe for an address that we hand out.
public enum AddressText {
    /// Escapes the characters of Base64 that have another meaning in a query.
    public static func queryEscaped(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    /// A request's own `Host`, or `localhost` if malformed: where its sender reached us, a page can reach us too.
    public static func host(_ given: String) -> String {
        given.utf8.allSatisfy(isHostByte) ? given : "localhost"
    }

    public static func isHostByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || ".-:[]_".utf8.contains(byte)
    }
}

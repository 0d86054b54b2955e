/// `%XX` in addresses (RFC 3986 §2.1).
enum PercentEncoding {
    /// Nil for a broken escape, or what is no UTF-8.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "%")) else { return String(validating: bytes, as: UTF8.self) }
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            rest = rest.dropFirst(2)
            guard digits.count == 2 else { return nil }
            decoded.append(UInt8(digits[0] << 4 | digits[1]))
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

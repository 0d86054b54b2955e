/// Compares and hashes texts from outside as bytes.
extension String {
    public func hasSameBytes(as other: String) -> Bool {
        let mine = utf8Span.span
        let others = other.utf8Span.span
        guard mine.count == others.count else { return false }
        for index in 0..<mine.count where mine[index] != others[index] { return false }
        return true
    }

    public func hashBytes(into hasher: inout Hasher) {
        utf8Span.span.withUnsafeBytes { hasher.combine(bytes: $0) }
        // The standard library ends a text in the same way, so that two texts in a row do not hash as one.
        hasher.combine(0xFF as UInt8)
    }

    /// Lowercases only ASCII: by Unicode's rules, the Kelvin sign becomes a `k`.
    public var asciiLowercased: String {
        let bytes = utf8Span.span
        return String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in 0..<bytes.count { buffer[index] = asciiLowercase(bytes[index]) }
            return bytes.count
        }
    }
}

public func asciiLowercase(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

/// Digits with zeros before them, until there are `width`.
func padded(_ digits: String, to width: Int) -> String {
    digits.utf8.count < width ? String(repeating: "0", count: width - digits.utf8.count) + digits : digits
}

/// The characters of ASCII, by their bytes.
extension UInt8 {
    public var isDigit: Bool { (48...57).contains(self) }
    public var isLetterOrDigit: Bool { isDigit || isLetter }
    var isLower: Bool { (97...122).contains(self) }
    var isUpper: Bool { (65...90).contains(self) }
    var isLetter: Bool { isLower || isUpper }
    var isHexDigit: Bool { isDigit || (97...102).contains(self | 0x20) }
}

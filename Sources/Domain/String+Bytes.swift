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
        String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

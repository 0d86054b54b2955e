/// Texts from outside are compared and hashed as the bytes they are.
extension String {
    public func hasSameBytes(as other: String) -> Bool {
        let (mine, others) = (utf8Span.span, other.utf8Span.span)
        guard mine.count == others.count else { return false }
        for index in 0..<mine.count where mine[index] != others[index] { return false }
        return true
    }

    public func hashBytes(into hasher: inout Hasher) {
        utf8Span.span.withUnsafeBytes { hasher.combine(bytes: $0) }
        // As the standard library ends a text, so that two in a row are not read as one.
        hasher.combine(0xFF as UInt8)
    }

    /// In ASCII alone: by Unicode's rules the Kelvin sign becomes a `k`.
    public var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

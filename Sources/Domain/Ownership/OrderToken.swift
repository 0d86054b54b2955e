/// The UUID made before a purchase and echoed by the store (Apple: `appAccountToken`). It is always lowercase: Apple
/// compares it case-insensitively, and so do we.
public struct OrderToken: Hashable, Sendable, LosslessStringConvertible {
    public let description: String

    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var hasUpperCase = false
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, 45), (13, 45), (18, 45), (23, 45): continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 48...57), (_, 97...102): continue
            case (_, 65...70): hasUpperCase = true
            default: return nil
            }
        }
        description = hasUpperCase ? text.lowercased() : text
    }

    /// A random version-4 UUID (RFC 9562): 122 random bits, so that nobody can guess another user's token.
    public static func random() -> OrderToken {
        OrderToken(bits: .random(in: .min ... .max), and: .random(in: .min ... .max))
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> OrderToken {
        OrderToken(
            bits: .random(in: .min ... .max, using: &generator),
            and: .random(in: .min ... .max, using: &generator)
        )
    }

    private init(bits first: UInt64, and second: UInt64) {
        let high = (first & ~0xF000) | 0x4000
        let low = (second & ~(3 << 62)) | (1 << 63)
        let hex = padded(high) + padded(low)
        let cuts = [0, 8, 12, 16, 20, 32]
        let groups = zip(cuts, cuts.dropFirst()).map { String(hex.dropFirst($0).prefix($1 - $0)) }
        description = groups.joined(separator: "-")
    }
}

private func padded(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

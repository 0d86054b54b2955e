/// The UUID minted before a purchase and echoed by the store (Apple: `appAccountToken`), always lower-case:
/// Apple compares it case-insensitively and so do we.
public struct OrderToken: Hashable, Sendable, LosslessStringConvertible {
    public let description: String

    public init?(_ text: String) {
        let lower = text.lowercased()
        let groups = lower.split(separator: "-", omittingEmptySubsequences: false).map { $0.utf8.count }
        guard lower.utf8.count == 36, groups == [8, 4, 4, 4, 12], lower.utf8.allSatisfy(isHexOrDash) else {
            return nil
        }
        description = lower
    }

    /// A random version-4 UUID (RFC 9562): 122 random bits, so that nobody can guess another user's.
    public static func random() -> OrderToken {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> OrderToken {
        let high = (UInt64.random(in: .min ... .max, using: &generator) & ~0xF000) | 0x4000
        let low = (UInt64.random(in: .min ... .max, using: &generator) & ~(3 << 62)) | (1 << 63)
        let hex = padded(high) + padded(low)
        let cuts = [0, 8, 12, 16, 20, 32]
        let groups = zip(cuts, cuts.dropFirst()).map { String(hex.dropFirst($0).prefix($1 - $0)) }
        return OrderToken(unchecked: groups.joined(separator: "-"))
    }

    private init(unchecked: String) {
        description = unchecked
    }
}

private func isHexOrDash(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte) || byte == 45
}

private func padded(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// One address or network, such as `10.0.0.0/8` or `::1`.
public struct IPNetwork: Sendable, Equatable {
    private let first: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Nil unless `text` is an address, or an address and the length of its prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        // An IPv4 prefix counts from where the address begins in its mapped form.
        let isIPv4 = parts[0].utf8.contains(UInt8(ascii: ".")) && address.ipv4 != nil && !parts[0].contains(":")
        let (offset, width) = isIPv4 ? (96, 32) : (0, 128)
        var length = width
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let given = Int(parts[1]), given <= width
            else { return nil }
            length = given
        }
        highMask = mask(offset + length)
        lowMask = mask(offset + length - 64)
        first = IPAddress(high: address.high & highMask, low: address.low & lowMask)
    }

    func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low
    }
}

extension [IPNetwork] {
    /// Whether it is the address of one of them.
    public func contains(_ address: IPAddress) -> Bool { contains { $0.contains(address) } }
}

/// The highest `bits` of 64 bits; `bits` is clamped to 0…64.
private func mask(_ bits: Int) -> UInt64 {
    bits <= 0 ? 0 : .max << UInt64(64 - min(bits, 64))
}

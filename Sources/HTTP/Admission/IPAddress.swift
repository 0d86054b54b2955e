public import Glibc

/// An IPv4 or IPv6 address; IPv4 is held in its mapped form (RFC 4291 §2.5.5.2), so that both spellings are equal.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    private static let mapped: UInt64 = 0xFFFF << 32

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(ipv4: UInt32) {
        self.init(high: 0, low: IPAddress.mapped | UInt64(ipv4))
    }

    /// Nil for anything but an address: no port, no brackets, no zone.
    public init?(_ text: some StringProtocol) {
        let isBare = text.utf8.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
        guard isBare, (2...45).contains(text.utf8.count) else { return nil }
        var network: (high: UInt64, low: UInt64) = (0, 0)
        let text = String(text)
        if inet_pton(AF_INET, text, &network) == 1 {
            self.init(ipv4: withUnsafeBytes(of: network) { UInt32(truncatingIfNeeded: bigEndian($0[..<4])) })
        } else if inet_pton(AF_INET6, text, &network) == 1 {
            self.init(high: UInt64(bigEndian: network.high), low: UInt64(bigEndian: network.low))
        } else {
            return nil
        }
    }

    /// The address of an accepted connection; nil for another family.
    public init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            self.init(ipv4: withUnsafeBytes(of: storage) { UInt32(truncatingIfNeeded: bigEndian($0[4..<8])) })
        case AF_INET6:
            self = withUnsafeBytes(of: storage) {
                IPAddress(high: bigEndian($0[8..<16]), low: bigEndian($0[16..<24]))
            }
        default: return nil
        }
    }

    var ipv4: UInt32? { high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil }

    /// Whether it is this machine.
    public var isLoopback: Bool { ipv4.map { $0 >> 24 == 127 } ?? (high == 0 && low == 1) }

    /// Whether nobody on the Internet can have it: RFC 1918, shared (RFC 6598) and link-local IPv4; unique local and
    /// link-local IPv6.
    var isPrivate: Bool {
        guard let ipv4 else { return high >> 57 == 0xFC >> 1 || high >> 54 == 0xFE80 >> 6 }
        return ipv4 >> 24 == 10 || ipv4 >> 20 == 0xAC1 || ipv4 >> 16 == 0xC0A8 || ipv4 >> 22 == 0x6440 >> 6
            || ipv4 >> 16 == 0xA9FE
    }

    /// The block that a provider assigns to one subscriber: an IPv4 address, or an IPv6 network of 64 bits.
    public var network: IPAddress { ipv4 == nil ? IPAddress(high: high, low: 0) : self }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        var bytes = [high.bigEndian, low.bigEndian]
        if var ipv4 = ipv4?.bigEndian {
            inet_ntop(AF_INET, &ipv4, &text, socklen_t(text.count))
        } else {
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

private func bigEndian(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
}

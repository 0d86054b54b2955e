import Domain

/// The host that a `Host` header names, without its port: in lower case, without a trailing dot.
public struct HostName: Equatable {
    /// For an IPv6 address, the text inside its brackets.
    public let text: String

    /// The parser of heads has already validated `authority`.
    public init(_ authority: String) {
        let bytes = authority.utf8
        let isBracketed = bytes.first == UInt8(ascii: "[")
        var host =
            isBracketed
            ? bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") } : bytes.prefix { $0 != UInt8(ascii: ":") }
        if !isBracketed, host.last == UInt8(ascii: ".") { host.removeLast() }
        text = String(Substring(host)).asciiLowercased
    }

    /// Nil unless the text is an origin with a host.
    public init?(ofOrigin origin: String) {
        guard let authority = origin.firstRange(of: "://") else { return nil }
        self.init(String(origin[authority.upperBound...]))
    }

    /// Whether the name can only mean this machine itself.
    public var isLoopback: Bool {
        text == "localhost" || text.hasSuffix(".localhost") || IPAddress(text)?.isLoopback == true
    }

    /// Whether no stranger's name server can answer for it: an address, a name of this machine, or a name without a
    /// dot, as container networks use. The owner of any other name can make its pages lead here (DNS rebinding).
    public var isLocal: Bool {
        !text.utf8.contains(UInt8(ascii: ".")) || IPAddress(text) != nil || text.hasSuffix(".localhost")
    }
}

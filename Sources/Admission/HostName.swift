internal import Domain

/// The host that a `Host` header names, without its port: in lower case, without a trailing dot.
public struct HostName: Equatable {
    /// For an IPv6 address, the text inside its brackets.
    public let text: String

    /// The parser of heads has already validated `authority`.
    public init(_ authority: String) {
        let lower = authority.asciiLowercased
        guard lower.first != "[" else {
            text = String(lower.dropFirst().prefix { $0 != "]" })
            return
        }
        let name = lower.prefix { $0 != ":" }
        text = String(name.last == "." ? name.dropLast() : name)
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
        !text.contains(".") || text.hasSuffix(".localhost") || IPAddress(text) != nil
    }
}

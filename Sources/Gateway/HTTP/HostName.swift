internal import Domain

/// What a `Host` header names, without its port: in lower case, without a dot at its end.
public struct HostName: Equatable {
    /// Of an IPv6 address what stands in its brackets.
    public let text: String

    /// `authority` was found valid by the parser of heads.
    public init(_ authority: String) {
        let lower = authority.asciiLowercased
        guard lower.first != "[" else {
            text = String(lower.dropFirst().prefix { $0 != "]" })
            return
        }
        let name = lower.prefix { $0 != ":" }
        text = String(name.last == "." ? name.dropLast() : name)
    }

    /// Nil when it is no origin with a host.
    public init?(ofOrigin origin: String) {
        guard let authority = origin.firstRange(of: "://") else { return nil }
        self.init(String(origin[authority.upperBound...]))
    }

    /// This machine alone, as it speaks of itself.
    public var isLoopback: Bool {
        text == "localhost" || text.hasSuffix(".localhost") || IPAddress(text)?.isLoopback == true
    }

    /// No stranger's name server answers for it: an address, a name of this machine, or one without a dot, as networks of
    /// containers have them. A page of any other name may lead here by its owner's will (DNS rebinding).
    public var isLocal: Bool {
        !text.contains(".") || text.hasSuffix(".localhost") || IPAddress(text) != nil
    }
}

import Domain

/// The host that a `Host` header names, without its port: in lower case, without a trailing dot.
public struct HostName: Equatable {
    /// For an IPv6 address, the text inside its brackets.
    public let text: String

    /// The parser of heads has already validated `authority`.
    public init(_ authority: String) {
        let bytes = authority.utf8Span.span
        let isBracketed = !bytes.isEmpty && bytes[0] == UInt8(ascii: "[")
        let terminator = isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")
        let start = isBracketed ? 1 : 0
        var end = start
        while end < bytes.count, bytes[end] != terminator { end += 1 }
        if !isBracketed, end > start, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        text = String(unsafeUninitializedCapacity: end - start) { buffer in
            for index in start..<end { buffer[index - start] = asciiLowercase(bytes[index]) }
            return end - start
        }
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

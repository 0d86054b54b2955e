import Support

/// Where the console listens alone.
public struct ConsoleBind: Sendable, Equatable {
    /// An IP address.
    public var address: String
    /// 0 is any free port.
    public var port: Int

    /// Reads `ADDRESS:PORT`, with `localhost` for 127.0.0.1 and an IPv6 address in brackets; nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(digits), port <= 65_535
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard isAddress(host) else { return nil }
        self.address = host
        self.port = port
    }
}

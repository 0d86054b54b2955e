import Encoding

/// The proxy that the environment names for an address, by the rules of curl(1): `http_proxy` and `https_proxy`, else
/// `all_proxy`, unless `no_proxy` lists the host.
enum ProxySetting {
    /// As libwebsockets takes it: `user:password@host:port`. Nil without a proxy.
    static func address(for target: RequestURL, in environment: [String: String]) throws(ProxyFault) -> String? {
        // A proxy is for the outside world; it cannot reach this machine's own loopback.
        guard !target.isLoopback, !isExempt(target.host, in: environment) else { return nil }
        // The capital form would be a header of CGI.
        let names = (target.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment[$0] != nil }), var text = environment[name], !text.isEmpty
        else { return nil }
        if let scheme = text.firstRange(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == "http" else {
                throw ProxyFault(reason: "\(name) must be an http:// address; WebSockets take no other kind of proxy")
            }
            text = String(text[scheme.upperBound...])
        }
        text = String(text.prefix { $0 != "/" })
        guard let at = text.lastIndex(of: "@") else { return try place(text[...], in: name) }
        guard let user = PercentEncoding.decode(text[..<at]), user.utf8.count <= longestUser else {
            throw ProxyFault(reason: "the user and password in \(name) cannot be read, or are longer than 90 bytes")
        }
        return try user + "@" + place(text[text.index(after: at)...], in: name)
    }

    /// What libwebsockets can write. What it cannot read it leaves out: the connection would go past the proxy.
    private static let (longestUser, longestHost) = (90, 100)

    /// With its port. An IPv6 address is in brackets.
    private static func place(_ text: Substring, in name: String) throws(ProxyFault) -> String {
        let end =
            text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        let (host, rest) = (text[..<(end ?? text.endIndex)], text[(end ?? text.endIndex)...])
        let port = rest.isEmpty ? 1080 : rest.first == ":" ? UInt16(rest.dropFirst()) : nil
        let isWhole = host.hasPrefix("[") == host.hasSuffix("]")
        guard let port, port > 0, isWhole, (1...longestHost).contains(host.utf8.count) else {
            throw ProxyFault(reason: "\(name) must be a host, of 100 bytes at most, and a port from 1 to 65535")
        }
        return "\(host):\(port)"
    }

    /// `*`, or names with whatever is below them.
    private static func isExempt(_ host: String, in environment: [String: String]) -> Bool {
        let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let host = host.lowercased()
        return list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            let name = entry.drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix("." + name)
        }
    }
}

struct ProxyFault: Error, Equatable {
    let reason: String
}

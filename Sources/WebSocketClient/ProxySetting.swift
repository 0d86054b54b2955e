internal import Encoding
internal import HTTPClient

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
        guard let at = text.lastIndex(of: "@") else { return withPort(text[...]) }
        guard let user = PercentEncoding.decode(text[..<at]) else {
            throw ProxyFault(reason: "the user's name in \(name) cannot be read")
        }
        return user + "@" + withPort(text[text.index(after: at)...])
    }

    /// An IPv6 address is in brackets.
    private static func withPort(_ place: Substring) -> String {
        let rest = place.hasPrefix("[") ? place.drop { $0 != "]" } : place
        return place + (rest.contains(":") ? "" : ":1080")
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

public import Domain
public import HTTP

/// Whether the page of another site may use this server: open a WebSocket, a cable or an event stream, or read an answer.
public struct OriginCheck: Sendable {
    /// As browsers send them: lower case, without a default port.
    private let allowed: Allowlist<String>

    public init(allowed: Allowlist<String>) { self.allowed = allowed }

    /// The origin as a browser writes it: lower case, without the scheme's default port (RFC 6454 §6.1).
    private static func origin(of host: String, scheme: Scheme) -> String {
        let host = host.asciiLowercased
        let port = scheme == .https ? ":443" : ":80"
        return scheme.rawValue + "://" + (host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)
    }

    /// Whether one of the listed origins has this host, on any port. `name` is in lower case.
    public func lists(host name: String) -> Bool {
        switch allowed {
        case .any: true
        case .only(let origins): origins.contains { HostName(ofOrigin: $0)?.text == name }
        }
    }

    public enum Verdict: Equatable, Sendable {
        /// The origin is ours, or the request names none, so it is not a browser's cross-site request.
        case same
        case allowed(String)
        case refused
    }

    public func judge(_ request: Request) -> Verdict {
        judge(origin: request.origin, host: request.host, scheme: request.scheme)
    }

    /// Unless a trusted proxy names the scheme, http and https both count as ours: TLS may end in front of this server.
    public func judge(origin: String?, host: String, scheme: Scheme? = nil) -> Verdict {
        guard let origin = origin?.asciiLowercased else { return .same }
        let schemes = scheme.map { [$0] } ?? [.http, .https]
        if schemes.contains(where: { origin == OriginCheck.origin(of: host, scheme: $0) }) { return .same }
        return allowed.contains(origin) ? .allowed(origin) : .refused
    }
}

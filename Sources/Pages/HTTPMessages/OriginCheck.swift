public import Domain
import Encoding
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

    /// Whether a page may be sent to this address, which a backend gives: a path of its own origin, or an absolute address of
    /// ours or of a listed one. `*` lists none: that all sites may follow is no reason to send a buyer to any of them. `paycast.js`
    /// goes nowhere but within the page's origin; a template's link goes where it says.
    public func admits(_ address: String, linkedBy request: Request) -> Bool {
        // Browsers drop controls and spaces, and read a backslash as a slash: any of them may make it another address
        // (https://url.spec.whatwg.org/#concept-basic-url-parser).
        guard address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return false }
        if address.hasPrefix("/") { return !address.hasPrefix("//") }
        let lower = address.asciiLowercased
        guard let scheme = [Scheme.http, .https].first(where: { lower.hasPrefix("\($0.rawValue)://") }) else {
            return false
        }
        let authority = lower.dropFirst(scheme.rawValue.count + 3).prefix { !"/?#".contains($0) }
        // A name and a password in front of the host would need an @.
        guard !authority.isEmpty, authority.utf8.allSatisfy(AddressText.isHostByte) else { return false }
        let origin = OriginCheck.origin(of: String(authority), scheme: scheme)
        switch (judge(origin: origin, host: request.host, scheme: request.scheme), allowed) {
        case (.same, _), (.allowed, .only): return true
        case (.allowed, .any), (.refused, _): return false
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

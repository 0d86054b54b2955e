internal import Domain
internal import HTTP
internal import Pages

/// Whether the page of another site may use this server: open a WebSocket, a cable or an event stream, or read an answer.
struct OriginCheck: Sendable {
    /// As browsers send them: lower case, without a default port.
    private let allowed: Allowlist<String>

    init(allowed: Allowlist<String>) {
        self.allowed = allowed
    }

    /// The origin as a browser writes it: lower case, without the scheme's default port (RFC 6454 §6.1).
    private static func origin(of host: String, scheme: Scheme) -> String {
        let host = host.asciiLowercased
        let port = scheme == .https ? ":443" : ":80"
        return scheme.rawValue + "://" + (host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)
    }

    /// Whether one of the listed origins has this host, on any port. `name` is in lower case.
    func lists(host name: String) -> Bool {
        switch allowed {
        case .any: true
        case .only(let origins): origins.contains { HostName(ofOrigin: $0)?.text == name }
        }
    }

    enum Verdict: Equatable {
        /// The origin is ours, or the request names none, so it is not a browser's cross-site request.
        case same
        case allowed(String)
        case refused
    }

    func judge(_ request: Request) -> Verdict {
        judge(origin: request.origin, host: request.host, scheme: request.scheme)
    }

    /// Unless a trusted proxy names the scheme, http and https both count as ours: TLS may end in front of this server.
    func judge(origin: String?, host: String, scheme: Scheme? = nil) -> Verdict {
        guard let origin = origin?.asciiLowercased else { return .same }
        let schemes = scheme.map { [$0] } ?? [.http, .https]
        if schemes.contains(where: { origin == OriginCheck.origin(of: host, scheme: $0) }) { return .same }
        return allowed.contains(origin) ? .allowed(origin) : .refused
    }
}

/// The part of an answer that a page of another origin may see (https://fetch.spec.whatwg.org/#http-cors-protocol).
struct CORSAnswer {
    private let verdict: OriginCheck.Verdict

    init(_ request: Request, authorization: Authorization) {
        verdict = authorization.origins.judge(request)
    }

    var isRefused: Bool { verdict == .refused }

    /// Answers the preflight that a browser sends before a request to another origin that no form could send. `methods`
    /// begin with that request's.
    func preflight(allowing methods: String, headers: String = "Content-Type, traceparent") -> Response {
        guard !isRefused else { return shown(CORSAnswer.refusal) }
        var response = Response(status: 204, headers: [("Allow", methods)])
        if case .allowed = verdict {
            response.headers += [
                ("Access-Control-Allow-Methods", String(methods.prefix { $0 != "," })),
                ("Access-Control-Allow-Headers", headers), ("Access-Control-Max-Age", "600"),
            ]
        }
        return shown(response)
    }

    func shown(_ response: Response) -> Response {
        var response = response
        response.headers.append(("Vary", "Origin"))
        if case .allowed(let origin) = verdict {
            response.headers.append(("Access-Control-Allow-Origin", origin))
        }
        return response
    }

    static let refusal = Response.error(
        403,
        code: "origin_not_allowed",
        message: "Pages of this origin may not do that; see PAYCAST_ALLOWED_ORIGINS."
    )
}

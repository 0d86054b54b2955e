internal import Gateway
internal import HTTP1

/// Keeps the pages of strangers, open in a developer's browser, away from a development server: its demo, its simulated
/// stores and its clock need no key.
struct DevelopmentGuard {
    private let access: Access

    init(_ access: Access) {
        self.access = access
    }

    /// Nil: the request may pass.
    func refusal(of request: Request) -> Response? {
        if !isMeantForUs(request) { return DevelopmentGuard.host }
        return isOfAnotherSite(request) ? DevelopmentGuard.origin : nil
    }

    /// What `Host` says itself: a page under a stranger's name may send any `X-Forwarded-Host`. Webhooks prove themselves, and
    /// come through tunnels with any name.
    private func isMeantForUs(_ request: Request) -> Bool {
        switch request.route {
        case .webhook, .up: return true
        default:
            guard let host = request.head.host.map({ HostName($0) }) else { return true }
            return host.isLocal || access.lists(host: host.text)
        }
    }

    /// Forms and `fetch` without a preflight reach us from any page. Reading does no harm: no answer is shown to them.
    private func isOfAnotherSite(_ request: Request) -> Bool {
        guard !["GET", "HEAD", "OPTIONS"].contains(request.method) else { return false }
        switch access.judge(request) {
        case .refused: return true
        case .allowed: return false
        case .same: return request.origin == nil && ["cross-site", "same-site"].contains(request.fetchSite)
        }
    }

    private static let host = Response.error(
        403,
        "host_not_allowed",
        "With --dev only localhost, addresses and names without a dot are served. To open this server under another name, "
            + "list its origin in PAYCAST_ALLOWED_ORIGINS."
    )

    private static let origin = Response.error(
        403,
        "origin_not_allowed",
        "With --dev a page of another origin may not send this. To let it, list its origin in PAYCAST_ALLOWED_ORIGINS."
    )
}

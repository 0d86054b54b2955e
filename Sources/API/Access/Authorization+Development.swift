import APIModel
import HTTP
import Pages

extension Authorization {
    /// Protects a development server from other sites' pages in the developer's browser, because its demo, its simulated
    /// stores and its clock need no key.
    func guardDevelopment(from request: Request) throws(RefusedBody) {
        guard isMeantForUs(request) else {
            let message =
                "With --dev only localhost, addresses and names without a dot are served. To open this server under another "
                + "name, list its origin in PAYCAST_ALLOWED_ORIGINS."
            throw RefusedBody("host_not_allowed", message: message, status: 403)
        }
        guard !isOfAnotherSite(request) else {
            let message =
                "With --dev a page of another origin may not send this. To let it, list its origin in "
                + "PAYCAST_ALLOWED_ORIGINS."
            throw RefusedBody("origin_not_allowed", message: message, status: 403)
        }
    }

    /// Reads `Host` itself: a page under a foreign name may send any `X-Forwarded-Host`. Webhooks prove their origin,
    /// and tunnels deliver them under any name.
    private func isMeantForUs(_ request: Request) -> Bool {
        switch request.route {
        case .webhook, .up: return true
        default:
            guard let host = request.head.host.map({ HostName($0) }) else { return true }
            return host.isLocal || origins.lists(host: host.text)
        }
    }

    /// Any page can send this server forms, and `fetch` requests without a preflight. Reading does no harm: the browser
    /// hides the answers from the page.
    private func isOfAnotherSite(_ request: Request) -> Bool {
        switch request.method {
        case "GET", "HEAD", "OPTIONS": return false
        default: break
        }
        guard request.origin == nil else { return origins.judge(request) == .refused }
        switch request.fetchSite {
        case "cross-site", "same-site": return true
        default: return false
        }
    }
}

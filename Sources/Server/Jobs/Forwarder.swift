import Domain
import Encoding
import HTTPClient
import Stores

/// Posts a body to a staging server. Blocks.
struct Forwarder: Sendable {
    var client = HTTPClient(timeout: .seconds(10))

    /// Gives up at once only if the other server calls the body too large. Other errors may pass: that server may be
    /// starting, or not deployed yet.
    func post(_ body: [UInt8], to address: String, now: Instant) throws(StoreAPIError) {
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("POST", to: address, headers: [("Content-Type", "application/json")], body: body)
        } catch {
            throw .unavailable(reason: error.description)
        }
        let status = response.status
        guard !(200..<300).contains(status) else { return }
        let reason = Forwarder.reason(status, code: Forwarder.code(in: response.body))
        if status == 413 { throw .refused(status: status, code: nil, reason: reason) }
        let seconds = response.header("Retry-After").flatMap { Int64($0) }.map { min(max($0, 0), 3600) }
        throw .unavailable(reason: reason, after: seconds.map { now + .seconds($0) })
    }

    /// The other server's answer, and what to do about it. `code` is Paycast's error code, if the answer has one.
    static func reason(_ status: Int, code: String?) -> String {
        let todo =
            switch (status, code) {
            case (_, "wrong_app"): "it serves another app: add this one to its PAYCAST_APPLE_BUNDLE_ID"
            case (_, "wrong_environment"): "it does not serve Sandbox: see its PAYCAST_APPLE_ENVIRONMENTS"
            case (_, "not_configured"): "it has no app: set its PAYCAST_APPLE_BUNDLE_ID"
            case (300..<400, _): "it redirects: name the last address in PAYCAST_FORWARD"
            case (400, _): "it does not believe the signature: it needs the same PAYCAST_APPLE_ROOTS as this server"
            case (401, _), (403, _): "it wants a password: let webhooks through without one"
            case (404, _), (405, _): "PAYCAST_FORWARD needs the whole address, with /webhooks/apple at its end"
            case (413, _): "a proxy in front of it must accept bodies of 256 KiB"
            default: "its log says why"
            }
        return "it answered \(status)\(code.map { " \($0)" } ?? ""): \(todo)"
    }

    /// The code in `{"error":"snake_case"}`. Nothing else of a foreign answer reaches a log.
    static func code(in body: [UInt8]) -> String? {
        guard body.count <= 4096, let code = JSONNode(body)?["error"]?.text, (1...40).contains(code.utf8.count),
            code.utf8.allSatisfy({ (97...122).contains($0) || $0 == 95 })
        else { return nil }
        return code
    }
}

extension StoreAPIError {
    /// For logs. A staging server is not a store, so it is named, but only by its origin: the rest of an address may be
    /// secret.
    func description(of job: Job) -> String {
        guard job.kind == .forward else { return description }
        let reason =
            switch self {
            case .unavailable(let reason, _), .unauthorized(let reason), .refused(_, _, let reason),
                .unreadable(let reason), .notYetKnown(let reason):
                reason
            }
        return "staging server \(job.origin): \(reason)"
    }
}

extension Job {
    /// The `https://host:port` of the forwarding address, without user, path and query.
    var origin: String {
        let scheme = subject.hasPrefix("https://") ? "https://" : "http://"
        guard subject.hasPrefix(scheme) else { return "of PAYCAST_FORWARD" }
        let authority = subject.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return scheme + host
    }
}

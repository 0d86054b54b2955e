import APIModel
import Crypto
import Domain
import Encoding
import Ledger
import Pages
import Stores
import Support

extension Services {
    /// `POST /recoveries` begins to fetch a store's history and says under which id, since it may take hours. `GET` lists
    /// those that run.
    func recover(_ request: Request) throws(RefusedBody) -> Answer {
        guard request.method != "GET" else {
            return .respond(JSON.response(200, body: RecoveriesAnswer(running: knownRecoveries.running)))
        }
        let body = try RecoveryRequest(request.body)
        let provider = Provider(rawValue: body.provider)
        guard stores.contains(provider) else {
            let names = historyKeys.map(\.provider.rawValue).joined(separator: ", ")
            throw RefusedBody("invalid_provider", message: "provider must be one of \(names).")
        }
        let since = body.since.flatMap { Instant(iso8601: $0) }
        guard body.since == nil || since.map({ $0 <= clock.now() }) == true else {
            throw RefusedBody("invalid_since", message: "since must be an ISO 8601 instant of the past.")
        }
        guard let recovery = recoveries[provider] else {
            let keys = historyKeys.map { "\($0.variable) for \($0.provider)" }.joined(separator: ", ")
            let message = "No key of this store's API is configured: \(keys)."
            return .respond(.unavailable("not_configured", message: message, retryAfter: 3600))
        }
        let act = act(
            .recover,
            of: request,
            user: nil,
            reason: body.reason.map { "\(provider.rawValue): \($0)" } ?? provider.rawValue
        )
        return .later { [self] reply in begin(recovery, of: provider, since: since, by: act, reply) }
    }

    /// `GET /recoveries/{id}`.
    func recovery(_ id: String) -> Answer {
        guard let known = knownRecoveries[id] else {
            let message = "This node knows no such recovery: another one runs it, or the server was started after it."
            return .respond(.error(404, code: "unknown_recovery", message: message))
        }
        return .respond(JSON.response(200, body: known))
    }

    /// Answers once it is written down who asks. The recovery has a place by then, but others may be before it.
    private func begin(
        _ recover: @escaping HistoryRecovery,
        of provider: Provider,
        since: Instant?,
        by act: Act,
        _ reply: Reply
    ) -> Bool {
        let begun = RecoveryAnswer(Hex.encode(randomBytes(16)), of: provider, at: node, now: clock.now())
        let isNoted = Promise<Bool>()
        let hasPlace = submit(waitingFor: .operators) { [self] in
            guard isNoted.wait() else { return }
            let report = recover(since) { knownRecoveries.note($0, of: begun.id) }
            knownRecoveries.end(begun.id, at: clock.now(), with: report)
        } orElse: { [self] in
            guard isNoted.wait() else { return }
            knownRecoveries.end(begun.id, at: clock.now(), with: .shutDown)
        }
        guard hasPlace else { return false }
        let isAsked = writer.submit(
            .note(act) { [self] result in
                guard case .success = result else {
                    isNoted.fulfil(false)
                    return reply.send(.uncommitted)
                }
                knownRecoveries.begin(begun)
                var response = JSON.response(202, body: begun)
                response.headers.append(("Location", "/recoveries/\(begun.id)"))
                reply.send(response)
                isNoted.fulfil(true)
            }
        )
        if !isAsked { isNoted.fulfil(false) }
        return isAsked
    }
}

extension RecoveryReport {
    /// Of a recovery whose turn did not come.
    fileprivate static var shutDown: RecoveryReport {
        var report = RecoveryReport()
        report.problems = ["this server is shutting down"]
        report.isInterrupted = true
        return report
    }
}

extension RecoveryRequest {
    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes, instead: "Send {\"provider\":\"apple\",\"since\"?:ISO8601}.")
        self.init(
            provider: try RefusedBody.requiredString("provider", of: node),
            since: try RefusedBody.string("since", of: node),
            reason: try RefusedBody.string("reason", of: node)
        )
        try RefusedBody.check(reason: reason, about: nil)
    }
}

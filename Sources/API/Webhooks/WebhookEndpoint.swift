import APIModel
import Domain
import HTTP
import Ledger
import Pages
import Stores
import Support

/// `POST /webhooks/{store}`: a worker verifies the delivery, the writer commits it, and only then does the store
/// get an answer.
struct WebhookEndpoint {
    let services: Services
    let provider: Provider

    func answer(_ request: Request) -> Answer {
        guard let verifier = services.verifiers[provider] else {
            return .respond(refusal(.notConfigured, of: request, answers: nil))
        }
        return .later { [services, provider] reply in
            services.submit(waitingFor: verifier.asksStore ? .store(provider) : nil) {
                commit(request, verifier: verifier, reply: reply)
            } orElse: {
                reply.send(.busy)
            }
        }
    }

    private func commit(_ request: Request, verifier: any StoreVerifier, reply: Reply) {
        let delivery = Delivery(
            body: request.body,
            authorization: request.authorization,
            signature: verifier.signatureHeader.flatMap(request.head.field)
        )
        let event: Event
        do throws(VerificationError) {
            event = try verifier.verify(delivery, now: services.clock.now())
        } catch {
            return reply.send(refusal(error, of: request, delivery: delivery, answers: verifier.answers))
        }
        let commit = EventCommit(services: services, receivedAt: request.receivedAt, step: "webhook committed")
        commit.commit(event) { verdict in
            guard case .committed(let result) = verdict else { return reply.send(verdict.response) }
            let isNew = result.outcome != .duplicate
            let delay = isNew ? services.clock.now().elapsed(since: event.signedAt) : nil
            services.deliveries.accepted(provider, delay: delay)
            // Pub/Sub reads only the status.
            reply.send(verifier.answers.isEmpty ? Response(status: 204) : .committed(result))
        }
    }

    /// Its body was refused for its length, and not read.
    func refused(_ request: Request, with response: Response) {
        guard !isProbe(request), let error = JSON.decode(ErrorAnswer.self, from: response.body) else { return }
        remember(request, reason: error.error, message: error.message, bytes: request.head.contentLength ?? 0)
    }

    /// 401 is for senders who are not the store. A sender who has proven to be the store but sends something unreadable
    /// gets another status: after a 401, an operator would look for the fault in the secret.
    private func refusal(
        _ error: VerificationError,
        of request: Request,
        delivery: Delivery? = nil,
        answers: WebhookAnswers?
    ) -> Response {
        if !isProbe(request) {
            let claim = delivery.flatMap { services.deliveries.refused($0, of: provider, error: error) }
            let silence = error == .storeUnreachable(.noAnswer) ? services.storeHealth.waits(provider) : nil
            services.refusals.webhook(provider, error: error, claim: claim)
            remember(
                request,
                reason: error.code,
                message: silence ?? error.message,
                setting: claim?.setting,
                bytes: request.body.count
            )
        }
        guard case .untrusted = error, let answers else { return .refused(error) }
        return .refused(error, status: answers.untrusted)
    }

    /// The probes of `paycast doctor` carry an API key with the right to operate, and are neither counted nor logged.
    private func isProbe(_ request: Request) -> Bool {
        services.authorization.key(request.credentials)?.rights.contains(.operate) == true
    }

    private func remember(_ request: Request, reason: String, message: String, setting: String? = nil, bytes: Int) {
        services.refused.add(
            AttentionAnswer.Refused(
                at: services.clock.now().iso8601,
                route: "/webhooks/\(provider)",
                client: request.client?.description,
                reason: reason,
                message: message,
                setting: setting,
                bytes: bytes
            )
        )
    }
}

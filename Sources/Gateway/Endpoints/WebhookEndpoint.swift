internal import Domain
internal import Ledger
internal import Providers
internal import Runtime

/// `POST /webhooks/{store}`: proven on a worker, committed by the writer, and only then answered.
struct WebhookEndpoint {
    private let services: Services
    private let provider: Provider

    init(_ services: Services, _ provider: Provider) {
        self.services = services
        self.provider = provider
    }

    func answer(_ request: Request) -> Answer {
        guard let verifier = services.verifiers[provider] else { return .respond(response(to: .notConfigured)) }
        let pool = verifier.asksStore ? services.callers : services.workers
        return .later { reply in
            pool.submit { commit(request, verifier, reply) }
        }
    }

    private func commit(_ request: Request, _ verifier: any StoreVerifier, _ reply: Reply) {
        let (clock, telemetry) = (services.clock, services.telemetry)
        let delivery = Delivery(
            body: request.body,
            authorization: request.authorization,
            signature: request.signature
        )
        do throws(VerificationError) {
            let event = try verifier.verify(delivery, now: clock.now())
            telemetry.verified(event.id, receivedAt: request.receivedAt)
            let isTaken = services.writer.submit(
                .event(event, receivedAt: clock.now()) { result in
                    let isCommitted = (try? result.get()) != nil
                    telemetry.answered(event.id, isCommitted: isCommitted, receivedAt: request.receivedAt)
                    reply.send(response(to: result))
                }
            )
            guard isTaken else {
                telemetry.dropped(event.id)
                return reply.send(.busy)
            }
        } catch {
            telemetry.refused.add()
            services.log.warning("webhook refused", ["provider": provider.rawValue, "reason": error.code])
            reply.send(response(to: error))
        }
    }

    private func response(to result: Result<Receipt, LedgerError>) -> Response {
        switch result {
        // Pub/Sub reads nothing but the status.
        case .success where provider == .google: Response(status: 204)
        case .success(let receipt): .committed(receipt)
        case .failure: .uncommitted
        }
    }

    /// 401 is for those who are not the store. Whoever has proven to be, and sends what cannot be read, is told so: with
    /// 401 an operator would look for the fault in the secret.
    private func response(to error: VerificationError) -> Response {
        guard case .untrusted = error, provider == .google || provider == .revenuecat else { return .refused(error) }
        return .refused(error, status: 401)
    }
}

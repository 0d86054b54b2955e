internal import Domain
internal import Ledger
internal import Providers
internal import Runtime

/// `POST /webhooks/apple`: proven on a worker, committed by the writer, and only then answered.
struct AppleWebhook {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        guard let verifier = services.apple else { return .respond(AppleWebhook.response(to: .notConfigured)) }
        let (writer, clock, telemetry) = (services.writer, services.clock, services.telemetry)
        let services = services
        return .later { reply in
            services.verifiers.submit {
                do throws(VerificationError) {
                    let now = clock.now()
                    let event = try verifier.verify(body: request.body, now: now)
                    telemetry.verified(event.id, receivedAt: request.receivedAt)
                    let isTaken = writer.submit(
                        .event(event, receivedAt: now) { result in
                            telemetry.committed(event.id, receivedAt: request.receivedAt)
                            reply.send(AppleWebhook.response(to: result))
                        }
                    )
                    guard isTaken else {
                        telemetry.dropped(event.id)
                        return reply.send(.busy)
                    }
                } catch {
                    telemetry.refused.add()
                    services.log.warning("webhook refused", ["provider": "apple", "reason": error.code])
                    reply.send(AppleWebhook.response(to: error))
                }
            }
        }
    }

    private static func response(to result: Result<Receipt, LedgerError>) -> Response {
        switch result {
        case .success(let receipt):
            JSON.response(
                200,
                Committed(
                    outcome: receipt.outcome.rawValue,
                    event: receipt.event,
                    cursor: receipt.cursor.description
                )
            )
        case .failure: .unavailable("ledger_unavailable", "The ledger could not commit it; nothing was stored.")
        }
    }

    /// 503 asks the store to deliver again while an operator looks; Apple has stopped retrying after a 400 before.
    private static func response(to error: VerificationError) -> Response {
        error.isRetryable
            ? .unavailable(error.code, error.message, retryAfter: 3600) : .error(400, error.code, error.message)
    }

    private struct Committed: Encodable {
        var outcome: String
        var event: String
        var cursor: String
    }
}

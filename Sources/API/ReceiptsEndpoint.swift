internal import Concurrency
internal import Domain
internal import Gateway
internal import Ledger
internal import StoreInterface

/// `POST /receipts/apple`: receipts that old versions of an app hold, and Apple's answers that the app's backend
/// stored.
struct ReceiptsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        do throws(RefusedBody) {
            let body = try ReceiptBody(request.body)
            guard let apple = services.apple else { return .respond(refusal(RefusedReceipt(.notConfigured))) }
            return .later { [services] reply in
                guard apple.statements != nil else {
                    return services.workers.submit { commit(body, request, apple, reply) }
                }
                return services.blockingPools.submit(.app(.apple)) {
                    commit(body, request, apple, reply)
                } orElse: {
                    reply.send(.busy)
                }
            }
        } catch {
            return .respond(error.response)
        }
    }

    private func commit(_ body: ReceiptBody, _ request: Request, _ apple: AppleServices, _ reply: Reply) {
        do throws(RefusedReceipt) {
            let reader = ReceiptReader(apple: apple, now: services.clock.now())
            let reading = try reader.read(body.content, kept: request.body)
            // A claim by a stored answer dates from when Apple gave that answer.
            let since = reading.source == .verifyReceipt ? reading.events.first?.signedAt : nil
            let claimant = reading.isProof ? body.user : nil
            Commitment(services, request).commit(reading.events[...], for: claimant, since: since) { verdicts in
                reply.send(ReceiptsEndpoint.response(to: verdicts, of: reading))
            }
        } catch {
            reply.send(refusal(error))
        }
    }

    private func refusal(_ error: RefusedReceipt) -> Response {
        services.refusals.post("receipt refused", from: .apple, error.code, detail: error.detail)
        return error.response
    }

    private struct Committed: Encodable {
        /// The outcome for the newest purchase, as if it had been posted alone.
        var outcome: String
        var event: String
        var cursor: String
        var source: String
        /// Oldest first.
        var events: [Item]
    }

    private struct Item: Encodable {
        var outcome: String
        var event: String
        var cursor: String
        var claim: String?
        var contract: String?
        var product: String?
    }

    /// If one event could not be committed, posting the receipt again resumes there.
    private static func response(to verdicts: [Commitment.Verdict], of reading: ReceiptReader.Reading) -> Response {
        guard let last = verdicts.last, case .committed(let newest) = last else {
            return verdicts.last?.response ?? .uncommitted
        }
        if last.isRefused { return last.response }
        let items = zip(verdicts, reading.events).compactMap { verdict, event -> Item? in
            guard case .committed(let receipt) = verdict else { return nil }
            return Item(
                outcome: receipt.outcome.rawValue,
                event: receipt.event,
                cursor: receipt.cursor.description,
                claim: receipt.claim?.word,
                contract: event.observation?.contract.lineage,
                product: event.observation?.transaction?.product
            )
        }
        return JSON.response(
            200,
            Committed(
                outcome: newest.outcome.rawValue,
                event: newest.event,
                cursor: newest.cursor.description,
                source: reading.source.rawValue,
                events: items
            )
        )
    }
}

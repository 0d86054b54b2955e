internal import APIModel
internal import Concurrency
internal import Domain
internal import HTTPMessages
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
                services.submit(waitingFor: apple.lookup == nil ? nil : .app(.apple)) {
                    commit(body, request: request, apple: apple, reply: reply)
                } orElse: {
                    reply.send(.busy)
                }
            }
        } catch {
            return .respond(error.response)
        }
    }

    private func commit(_ body: ReceiptBody, request: Request, apple: AppleServices, reply: Reply) {
        do throws(RefusedReceipt) {
            let reader = ReceiptReader(apple: apple, now: services.clock.now())
            let reading = try reader.read(body.content, kept: request.body)
            // A claim by a stored answer dates from when Apple gave that answer.
            let since = reading.source == .verifyReceipt ? reading.events.first?.signedAt : nil
            let claimant = reading.isProof ? body.user : nil
            Commitment(services, receivedAt: request.receivedAt).commit(
                reading.events[...],
                for: claimant,
                since: since
            ) { verdicts in
                reply.send(ReceiptsEndpoint.response(to: verdicts, of: reading))
            }
        } catch {
            reply.send(refusal(error))
        }
    }

    private func refusal(_ error: RefusedReceipt) -> Response {
        services.refusals.post("receipt refused", from: .apple, reason: error.code, detail: error.detail)
        return error.response
    }

    /// If one event could not be committed, posting the receipt again resumes there.
    private static func response(to verdicts: [Commitment.Verdict], of reading: ReceiptReader.Reading) -> Response {
        guard let last = verdicts.last, case .committed(let newest) = last else {
            return verdicts.last?.response ?? .uncommitted
        }
        if last.isRefused { return last.response }
        let items = zip(verdicts, reading.events).compactMap { verdict, event -> ReceiptAnswer.Item? in
            guard case .committed(let receipt) = verdict else { return nil }
            return ReceiptAnswer.Item(
                CommitAnswer(receipt),
                contract: event.observation?.contract.lineage,
                product: event.observation?.transaction?.product
            )
        }
        return JSON.response(
            200,
            body: ReceiptAnswer(newest: CommitAnswer(newest), source: reading.source.rawValue, events: items)
        )
    }
}

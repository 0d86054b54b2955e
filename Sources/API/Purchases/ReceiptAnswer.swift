import APIModel
import Domain
import Pages
import Stores

extension Services {
    /// `POST /receipts/{store}`: receipts that old versions of an app hold, and a store's answers that the app's backend
    /// has kept.
    func receipt(_ provider: Provider, _ request: Request) throws(RefusedBody) -> Answer {
        guard let receipt = storeTypes[provider]?.receipts else { return .respond(.notFound) }
        return try answer(receipt, of: provider, to: request)
    }

    private func answer<Receipt: PostedPurchase>(
        _: Receipt.Type,
        of provider: Provider,
        to request: Request
    ) throws(RefusedBody) -> Answer {
        let node = try RefusedBody.object(request.body)
        let user = try RefusedBody.user(of: node)
        let receipt = try Receipt(node, bytes: request.body)
        return .later { [self] reply in
            read(receipt, of: provider, refuse: reply.send) { [self] reading in
                commit(reading, for: user, request: request, reply: reply)
            }
        }
    }

    private func commit(_ reading: PurchaseReading, for user: UserID?, request: Request, reply: Reply) {
        // A claim with a stored answer dates from the time of that answer.
        let since = reading.source == .verifyReceipt ? reading.events.first?.signedAt : nil
        let claim = reading.isProof ? user.map { Claim(user: $0) } : nil
        let act = claim.map { self.act(.claim, of: request, user: $0.user) }
        EventCommit(services: self, receivedAt: request.receivedAt, step: "purchase committed", act: act).commit(
            reading.events[...],
            claim: claim,
            since: since
        ) { verdicts in
            reply.send(Services.response(to: verdicts, of: reading, isClaimed: user != nil))
        }
    }

    /// If one event could not be committed, posting the receipt again resumes there.
    private static func response(
        to verdicts: [EventCommit.Verdict],
        of reading: PurchaseReading,
        isClaimed: Bool
    ) -> Response {
        guard let last = verdicts.last, case .committed(let newest) = last else {
            return verdicts.last?.response ?? .uncommitted
        }
        if last.isRefused { return last.response }
        func answer(_ result: CommitResult) -> CommitAnswer {
            var answer = CommitAnswer(result)
            // The user of a purchase of which only the id was shown gets nothing by that.
            if isClaimed && !reading.isProof { answer.claim = "unproven" }
            return answer
        }
        let items = zip(verdicts, reading.events).compactMap { verdict, event -> ReceiptAnswer.Item? in
            guard case .committed(let result) = verdict else { return nil }
            let observation = event.observation
            let purchase = ReceiptAnswer.Purchase(
                contract: observation?.contract.lineage,
                product: observation?.transaction?.product
            )
            return Joined(answer(result), purchase)
        }
        let whole = ReceiptAnswer(source: reading.source.rawValue, events: items)
        return JSON.response(200, body: Joined(answer(newest), whole))
    }
}

/// Answers `POST /receipts/apple`, with the members of `CommitAnswer` for the newest purchase, as if it had been posted
/// alone.
private struct ReceiptAnswer: Encodable {
    typealias Item = Joined<CommitAnswer, Purchase>

    struct Purchase: Encodable {
        /// The store's lineage id; absent if the event belongs to no contract.
        var contract: String?
        /// The product by the store's id.
        var product: String?
    }

    /// The proof of the purchases: `store`, `receipt` or `verify_receipt`.
    var source: String
    /// Oldest first.
    var events: [Item]
}

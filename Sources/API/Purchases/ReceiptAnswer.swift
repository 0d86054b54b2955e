import APIModel
import Domain
import Pages
import Stores

extension Services {
    /// `POST /receipts/{store}`: receipts that old versions of an app hold, and a store's answers that the app's backend
    /// has kept.
    func receipt(_ provider: Provider, _ request: Request) -> Answer {
        take(storeTypes[provider]?.receipts, of: provider, request) { Services.response(to: $0, of: $1, claim: $2) }
    }

    /// If one event could not be committed, posting the receipt again resumes there.
    private static func response(
        to verdicts: [EventCommit.Verdict],
        of reading: PurchaseReading,
        claim: Claim?
    ) -> Response {
        guard let last = verdicts.last, case .committed(let newest) = last else {
            return verdicts.last?.response ?? .uncommitted
        }
        if last.isRefused { return last.response }
        func answer(_ result: CommitResult) -> CommitAnswer {
            var answer = CommitAnswer(result)
            // The user of a purchase of which only the id was shown gets nothing by that.
            if claim != nil && !reading.isProof { answer.claim = "unproven" }
            return answer
        }
        var items = zip(verdicts, reading.events).compactMap { verdict, event -> ReceiptAnswer.Item? in
            guard case .committed(let result) = verdict else { return nil }
            let observation = event.observation
            let purchase = ReceiptAnswer.Purchase(
                contract: observation?.contract.lineage,
                product: observation?.transaction?.product
            )
            return Joined(answer(result), purchase)
        }
        // Ids are not secret: whoever knows one, and is not the backend, learns nothing of the purchase.
        if !reading.isProof, claim?.isVouched == false { items = [] }
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

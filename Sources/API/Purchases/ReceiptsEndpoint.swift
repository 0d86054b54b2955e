import APIModel
import Domain
import Pages
import Stores

/// `POST /receipts/{store}`: receipts that old versions of an app hold, and a store's answers that the app's backend
/// has kept.
struct ReceiptsEndpoint {
    let services: Services
    let provider: Provider

    func answer(_ request: Request) throws(RefusedBody) -> Answer {
        guard let receipt = services.storeTypes[provider]?.receipts else { return .respond(.notFound) }
        return try answer(request, as: receipt)
    }

    private func answer<Receipt: PostedPurchase>(_ request: Request, as _: Receipt.Type) throws(RefusedBody) -> Answer {
        let node = try RefusedBody.object(request.body)
        let user = try RefusedBody.user(of: node)
        let receipt = try Receipt(node, bytes: request.body)
        return .later { [services, provider] reply in
            services.read(receipt, of: provider, refuse: reply.send) { reading in
                commit(reading, for: user, request: request, reply: reply)
            }
        }
    }

    private func commit(_ reading: PurchaseReading, for user: UserID?, request: Request, reply: Reply) {
        // A claim with a stored answer dates from the time of that answer.
        let since = reading.source == .verifyReceipt ? reading.events.first?.signedAt : nil
        let claim = reading.isProof ? user.map { Claim(user: $0) } : nil
        let act = claim.map { services.act(.claim, of: request, user: $0.user) }
        EventCommit(services: services, receivedAt: request.receivedAt, step: "purchase committed", act: act).commit(
            reading.events[...],
            claim: claim,
            since: since
        ) {
            verdicts in
            reply.send(ReceiptsEndpoint.response(to: verdicts, of: reading, isClaimed: user != nil))
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
        let isUnproven = isClaimed && !reading.isProof
        let items = zip(verdicts, reading.events).compactMap { verdict, event -> ReceiptAnswer.Item? in
            guard case .committed(let receipt) = verdict else { return nil }
            return ReceiptAnswer.Item(
                CommitAnswer(receipt, isUnproven: isUnproven),
                contract: event.observation?.contract.lineage,
                product: event.observation?.transaction?.product
            )
        }
        return JSON.response(
            200,
            body: ReceiptAnswer(
                CommitAnswer(newest, isUnproven: isUnproven),
                source: reading.source.rawValue,
                events: items
            )
        )
    }
}

extension CommitAnswer {
    /// The user of a purchase of which only the id was shown gets nothing by that.
    fileprivate init(_ result: CommitResult, isUnproven: Bool) {
        self.init(result)
        if isUnproven { claim = "unproven" }
    }
}

/// Answers `POST /receipts/apple`: the members of `CommitAnswer` for the newest purchase, as if it had been posted
/// alone, and all purchases.
struct ReceiptAnswer: Codable, Sendable, Equatable {
    struct Item: Codable, Sendable, Equatable {
        var outcome: String
        var event: String
        var cursor: String
        var claim: String?
        /// The store's lineage id; absent if the event belongs to no contract.
        var contract: String?
        /// The product by the store's id.
        var product: String?

        init(_ commit: CommitAnswer, contract: String?, product: String?) {
            outcome = commit.outcome
            event = commit.event
            cursor = commit.cursor
            claim = commit.claim
            self.contract = contract
            self.product = product
        }
    }

    var outcome: String
    var event: String
    var cursor: String
    /// That of the newest purchase.
    var claim: String?
    /// The proof of the purchases: `store`, `receipt` or `verify_receipt`.
    var source: String
    /// Oldest first.
    var events: [Item]

    init(_ newest: CommitAnswer, source: String, events: [Item]) {
        outcome = newest.outcome
        event = newest.event
        cursor = newest.cursor
        claim = newest.claim
        self.source = source
        self.events = events
    }
}

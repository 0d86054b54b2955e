internal import Foundation

/// A transaction on its way to the server.
struct Delivery: Equatable, Sendable {
    /// The newest signing of it.
    var transaction: SignedTransaction
    var memo: Memo
    /// The post that is under way. The server takes a repeat for what it is.
    var post: Post?

    struct Post: Equatable, Sendable {
        var version: TransactionVersion
        var stream: SignedStream
    }

    var id: UInt64 { transaction.id }
    var version: TransactionVersion { transaction.version }

    /// Waits for somebody, and not for the network.
    var isHeld: Bool { memo.condition != .waiting && post == nil }

    /// Waits for its back-off alone.
    var isPostable: Bool { memo.condition == .waiting && post == nil && memo.stream != nil }

    /// Why the user has to wait for it, if not for the network.
    var keptReason: KeptReason {
        switch memo.condition {
        case .waiting: memo.stream == nil ? .needsStream : .offline
        case .needsStream, .loggedOut, .unknownOwner: .needsStream
        case .refused: .refused
        }
    }
}

/// The server's word that it has a transaction: the only thing that lets one be finished. There is no other way to make
/// one than from a 200 or a 409.
struct Acknowledgement: Equatable, Sendable {
    let version: TransactionVersion
    /// Whose purchase it was posted as.
    let owner: String?
    let isConsumable: Bool
    let verdict: Verdict

    enum Verdict: Equatable, Sendable {
        case committed(Commit)
        case ownedByOther
    }

    init?(of delivery: Delivery, version: TransactionVersion, answer: PostAnswer) {
        self.version = version
        owner = delivery.memo.owner
        isConsumable = delivery.transaction.productType == .consumable
        switch answer {
        case .committed(let commit): verdict = .committed(commit)
        case .ownedByOther: verdict = .ownedByOther
        case .refused, .unauthorized, .later, .unreachable: return nil
        }
    }

    func outcome(of product: String) -> PurchaseOutcome {
        guard case .committed(let commit) = verdict else { return .ownedByOther }
        guard let claim = commit.claim, claim != "refused" else { return .recorded(outcome: commit.outcome) }
        switch commit.outcome {
        // What changes nothing belongs to the user all the same: the store's webhook came first, with this or with newer.
        case "applied", "duplicate", "stale", "ignored":
            let outcome = commit.outcome
            return .granted(Grant(product: product, outcome: outcome, claim: claim, isConsumable: isConsumable))
        default: return .recorded(outcome: commit.outcome)
        }
    }
}

internal import Foundation

/// A transaction on its way to the server. What is under way does not survive the process.
struct Delivery: Codable, Equatable, Sendable {
    enum Condition: Codable, Equatable, Sendable {
        /// To be posted as soon as its back-off allows.
        case waiting
        /// Waits for a stream of its owner: none is known, or the server does not take the known one any more.
        case needsStream
        /// Waits for its owner to log in again.
        case loggedOut
        /// Waits for a restore: its order was placed elsewhere, and several users buy on this device. Posted for the one
        /// who happens to be logged in, it could move from its owner.
        case unknownOwner
        /// The server calls it not genuine. Tried again by another version of the app, or when the store signs it anew.
        case refused(code: String, appVersion: String)
    }

    var transaction: SignedTransaction
    /// The stream's owner, as soon as the user is known whose purchase it is.
    var owner: String?
    var stream: SignedStream?
    /// The user's order, for a transaction that carries no token of its own.
    var order: UUID?
    var condition = Condition.waiting
    var backoff = Backoff()
    /// Set while `backoff` is what the server has asked for on behalf of all posts. Nil in files of older versions.
    var holdsOthers: Bool?
    /// The stream of the post that is under way. Its answer is lost with the process; the server takes a repeat for what it
    /// is.
    var postedAs: SignedStream?
    /// Set by the server's 200 or 409, until the store has finished it.
    var acknowledgement: Acknowledgement?
    /// Set while the store is asked to finish it.
    var finishing: Finishing?

    private enum CodingKeys: String, CodingKey {
        case transaction, owner, stream, order, condition, backoff, holdsOthers
    }

    init(_ transaction: SignedTransaction) {
        self.transaction = transaction
    }

    var version: TransactionVersion { transaction.version }

    var isPosting: Bool { postedAs != nil }

    var isRefused: Bool {
        if case .refused = condition { true } else { false }
    }

    /// Waits for somebody, and not for the network.
    var isHeld: Bool { condition != .waiting && acknowledgement == nil && !isPosting }

    func isReady(at now: Date) -> Bool {
        condition == .waiting && !isPosting && acknowledgement == nil && stream != nil && backoff.isDue(at: now)
    }

    /// Why the user has to wait for it, if not for the network.
    var keptReason: KeptReason {
        switch condition {
        case .waiting: stream == nil ? .needsStream : .offline
        case .needsStream, .loggedOut, .unknownOwner: .needsStream
        case .refused: .refused
        }
    }

    /// Gives the delivery the stream of the user who owns it, or who is the first to log in since it came without one.
    mutating func adopt(_ stream: SignedStream) {
        guard owner == nil || owner == stream.owner, condition != .unknownOwner else { return }
        let isNew = self.stream != stream
        owner = stream.owner
        self.stream = stream
        if condition == .loggedOut || (condition == .needsStream && isNew) { condition = .waiting }
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

    init?(of delivery: Delivery, answer: PostAnswer) {
        version = delivery.version
        owner = delivery.owner
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

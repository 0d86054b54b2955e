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
        var asked: Bool?
    }

    var id: UInt64 { transaction.id }
    var version: TransactionVersion { transaction.version }
}

/// The server's word that it has a transaction: the only thing that lets one be finished. There is no other way to make
/// one than from a 200 or a 409.
struct Acknowledgement: Equatable, Sendable {
    /// The newest signing that it covers.
    var version: TransactionVersion
    /// Whose stream it was posted with.
    let owner: String
    private let isConsumable: Bool
    private let product: String
    private let verdict: Verdict

    enum Verdict: Equatable, Sendable {
        case committed(Commit)
        case ownedByOther
    }

    init?(of transaction: SignedTransaction, post: Delivery.Post, answer: PostAnswer) {
        version = post.version
        owner = post.stream.owner
        product = transaction.product
        isConsumable = transaction.productType == .consumable
        switch answer {
        case .committed(let commit): verdict = .committed(commit)
        case .ownedByOther: verdict = .ownedByOther
        case .refused, .unauthorized, .later, .unreachable: return nil
        }
    }

    /// The user asked for it, and the server left it where it was.
    var isDenied: Bool { verdict == .ownedByOther }

    /// Whether the user has it.
    var isGranted: Bool {
        if case .committed(let commit) = verdict { commit.isGranted } else { false }
    }

    func outcome(for watcher: Watcher) -> PurchaseOutcome {
        guard case .committed(let commit) = verdict, commit.claim != "others" else { return .ownedByOther }
        guard commit.isGranted else { return .recorded(outcome: commit.outcome) }
        if watcher.isOwnedBefore { return watcher.product == product ? .alreadyOwned : .changesAtRenewal }
        return .granted(Grant(product: product, outcome: commit.outcome, isConsumable: isConsumable))
    }
}

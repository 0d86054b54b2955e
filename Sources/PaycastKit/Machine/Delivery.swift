internal import Foundation

/// A transaction on its way to the server.
struct Delivery: Equatable, Sendable {
    /// The newest signing of it.
    var transaction: SignedTransaction
    var memo: Memo
    /// Whoever waits for the server's word.
    var taps: [Tap] = []
    /// The server calls this signing not genuine. It may think better of it, so the next process asks again.
    var isRefused = false
    /// The post that is under way. The server takes a repeat for what it is.
    var post: Post?

    /// What is posted, but for the version. What is nil is left out.
    struct Post: Encodable, Equatable, Sendable {
        var version: TransactionVersion
        var signedTransaction: String
        var signedRenewalInfo: String?
        var stream: SignedStream
        var order: String?
        var asked: Bool?

        private enum CodingKeys: CodingKey {
            case signedTransaction, signedRenewalInfo, stream, order, asked
        }
    }

    var id: UInt64 { transaction.id }
    var version: TransactionVersion { transaction.version }
}

/// A user's act, and whoever waits for what comes of it.
struct Tap: Equatable, Sendable {
    /// How long a caller waits for the server before the outcome is `kept`.
    static let patience: TimeInterval = 10

    /// Who tapped buy, restore or redeem. Nil for the first who logs in while somebody waits.
    var stream: SignedStream?
    /// What was tapped: of a downgrade, not what the store hands over.
    var product: String
    var order: UUID?
    var tickets: [Ticket] = []
    /// The store handed over what the account had before: nobody has asked for it.
    var isOwnedBefore = false
    var since: Date

    var deadline: Date { since.addingTimeInterval(Tap.patience) }

    /// `owner`: whose purchase it is. What is another user's is never called theirs.
    func replies(_ outcome: PurchaseOutcome, owner: String?) -> [PurchaseAction] {
        let isTheirs = stream == nil || owner == nil || stream?.owner == owner
        return tickets.map { .reply($0, .success(isTheirs ? outcome : .ownedByOther)) }
    }
}

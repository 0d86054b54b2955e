internal import Foundation

/// One caller who waits for an outcome.
struct Ticket: Hashable, Sendable {
    var number: Int
}

/// Everything that can happen to purchases.
enum PurchaseEvent: Sendable {
    /// The process has started, with what the disk kept.
    case launched(Book)
    case tapped(product: String, order: Order?, offer: PurchaseOffer? = nil, ticket: Ticket)
    case ordered(product: String, Result<Order, PurchaseError>)
    case storeAnswered(product: String, token: UUID? = nil, StoreOutcome)
    case storeFailed(product: String, token: UUID? = nil, PurchaseError)
    case arrived(SignedTransaction)
    /// Everything that the store lists as unfinished.
    case swept([SignedTransaction])
    /// A user asked for what the store account owns already: the one of the stream, or whoever is logged in.
    case restored(SignedTransaction, for: SignedStream? = nil, ticket: Ticket)
    /// The device found an update's signature forged.
    case forged(product: String?)
    case answered(TransactionVersion, PostAnswer)
    /// A user is there, or the user's stream was signed anew.
    case loggedIn(SignedStream)
    case loggedOut
    /// A page of this stream's user is in front. It logs in where the app has not said who is there.
    case pageAppeared(SignedStream)
    /// The user of a page restores or redeems: it is for them, whoever was logged in.
    case pageActed(SignedStream)
    /// The user who is logged in opens the store's sheet for codes.
    case redeeming
    case redeemed
    /// The answer to `renewStream`; nil if there was none.
    case renewed(SignedStream?, isUnreached: Bool = false)
    /// The server does not take the stream that was asked with for the entitlements, such as for this product.
    case streamRefused(SignedStream, code: String, product: String?)
    /// With the status of an answer that is not Paycast's; nil for one that is.
    case entitlementsAnswered(unexpected: Int?)
    /// The app came to the foreground, or the network came back.
    case resumed
    /// A moment that the machine asked for has come.
    case woke
}

/// What the machine wants done. The order counts: what is to survive the process is written before it is acted upon.
enum PurchaseAction: Equatable, Sendable {
    case order(product: String)
    case purchase(product: String, Order, offer: PurchaseOffer? = nil)
    /// Write it to disk, in place of the last one.
    case save(Book)
    case post(Delivery.Post)
    /// Only what was acknowledged.
    case finish(UInt64)
    case reply(Ticket, Result<PurchaseOutcome, PurchaseError>)
    case report(Problem)
    /// Ask the store for everything that is unfinished.
    case sweep
    /// Ask for a stream of the owner, by an order for this product.
    case renewStream(product: String)
    /// The store took this purchase back: it opens nothing, whatever was known before.
    case withdraw(SignedTransaction)
    case refreshEntitlements
    /// Another user: what was known of the last one is not theirs.
    case switchUser(SignedStream?)
}

/// What became of a purchase that the user began.
public enum PurchaseOutcome: Equatable, Sendable {
    /// The server has it and it belongs to this user. What it opens is in `entitlements`, which was asked for anew since.
    case granted(Grant)
    /// The store account had it before the tap, and it is this user's. Nothing was paid, and nothing has moved.
    case alreadyOwned
    /// The store account has a subscription that runs on, and this product begins when that one would renew.
    case changesAtRenewal
    /// Somebody has to approve it, such as a parent. It arrives by itself once approved; a refusal is never announced.
    case pending
    case cancelled
    /// Genuine and recorded, and it stays with the user who owns it already.
    case ownedByOther
    /// Paid, and kept by the store; it is posted until the server has it. A connection cures it.
    case kept(KeptReason)
    /// Paid, and kept by the store until its user logs in: nobody is, or the stream has expired for good.
    case loggedOut
    /// Paid, and the server does not believe the store's signature. Never finished, and reported.
    case refused
    /// The server has it and opens nothing for it now, such as a purchase that contradicts its order.
    case recorded(outcome: String)

    var isTheirs: Bool {
        switch self {
        case .granted, .alreadyOwned, .changesAtRenewal: true
        default: false
        }
    }
}

/// A purchase that belongs to the user, in the words of the server's answer.
public struct Grant: Equatable, Sendable {
    public var product: String
    /// `applied`, `duplicate`, `stale` or `ignored`: the store's webhook may have come first, and said that it has ended.
    public var outcome: String
    /// A consumable is handed over, and opens nothing.
    public var isConsumable = false
}

/// Why a purchase is kept and not yet with the server.
public enum KeptReason: String, Sendable {
    /// No answer, or none in time.
    case offline
    /// The server asks the app to come back.
    case busy
}

/// Why a purchase did not begin, or brought nothing.
public enum PurchaseError: Error, Equatable, Sendable {
    /// No order can be made; nothing was bought.
    case offline
    /// No order was given, and there is no `OrderSource`.
    case noOrder
    /// The server or the backend refuses to make the order; `order_failed` if its answer cannot be read.
    case orderRefused(code: String)
    case unknownProduct
    /// The store does not know the offer, or not for this product.
    case unknownOffer
    /// The store knows the offer, and it is not for this user.
    case notEligible
    /// Purchases are switched off on this device, such as by Screen Time.
    case notAllowed
    /// The store does not sell it, or not in this country.
    case notAvailable
    /// There is no purchase of this product.
    case nothingBought
    /// The store has a request for this refund already.
    case alreadyRequested
    /// A page that names no user restores or redeems, and nobody is logged in.
    case notLoggedIn
    /// The user closed a sheet of the store, such as the one for the password of a restore.
    case cancelled
    /// The device found the store's signature forged: not delivered, not finished.
    case unverified
    /// The store failed; its own description.
    case store(String)

    /// The code for programs, as the bridge's answers carry it.
    public var code: String {
        switch self {
        case .offline: "offline"
        case .noOrder: "no_order"
        case .orderRefused(let code): code
        case .unknownProduct: "unknown_product"
        case .unknownOffer: "unknown_offer"
        case .notEligible: "not_eligible"
        case .notAllowed: "not_allowed"
        case .notAvailable: "not_available"
        case .nothingBought: "nothing_bought"
        case .alreadyRequested: "already_requested"
        case .notLoggedIn: "not_logged_in"
        case .cancelled: "cancelled"
        case .unverified: "unverified"
        case .store: "store_failed"
        }
    }
}

/// What an app should log or count. Nothing here stops the kit.
public enum Problem: Equatable, Sendable {
    /// The server calls the signature not genuine; `code` is its word for why.
    case refused(transaction: UInt64, code: String)
    /// The stream of the transaction's user is missing, or no longer valid.
    case needsStream(transaction: UInt64, code: String)
    /// The server does not take the stream of the user who is logged in. Without an `OrderSource`, log in with a new one.
    case streamRefused(code: String)
    /// The device found the signature forged.
    case unverified(product: String?)
    /// A purchase belongs to another user of the app.
    case ownedByOther(transaction: UInt64)
    /// The disk refuses to keep an order, or to show those that it keeps. The store still has each transaction, so it is not lost.
    case disk(String)
    /// What answers at the server's address does not answer as Paycast does, such as 404, a redirection or the log-in page of a
    /// network. If it stays so, the address is wrong.
    case unexpectedAnswer(status: Int)
}

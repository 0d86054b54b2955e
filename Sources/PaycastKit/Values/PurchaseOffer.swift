/// An offer that a subscription is bought with. What the store grants by its own rule, such as a trial, it applies by itself.
public enum PurchaseOffer: Equatable, Sendable {
    /// For people who subscribe or have subscribed, at the app's own choice; signed by its backend or by Paycast
    /// (https://developer.apple.com/documentation/storekit/generating-jws-to-sign-app-store-requests).
    case promotional(id: String, jws: String)
    /// The introductory offer, granted or refused against the store's own rule: the app's backend has this customer's signed
    /// (the same address).
    case introductory(jws: String)
    /// For people whose subscription has ended. The store chooses who may have it; from iOS 18 and macOS 15.
    case winBack(id: String)
    /// One that a page or the app knows by its id alone: a win-back offer, if the store has it for this user, or else a promotional
    /// one, if the server's `POST /offers/apple` signs it.
    case named(id: String)
}

/// A purchase that was begun in the App Store.
public struct IntendedPurchase: Equatable, Sendable {
    public var product: String
    public var offer: PurchaseOffer?

    public init(product: String, offer: PurchaseOffer? = nil) {
        self.product = product
        self.offer = offer
    }
}

/// What became of the store's sheet for refunds. Whether money flows back is told later, as a refund of the transaction.
public enum RefundRequest: String, Sendable {
    case requested
    case cancelled
    /// A page for it was opened, on a Mac.
    case shown
}

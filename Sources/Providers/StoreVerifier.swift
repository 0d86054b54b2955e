public import Domain

/// Proves that a webhook's delivery is the store's and ours, and says what it means. Any thread may verify, several at a
/// time.
public protocol StoreVerifier: Sendable {
    /// It asks the store's API and blocks meanwhile: it runs on the threads that may wait.
    var asksStore: Bool { get }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event
}

extension StoreVerifier {
    public var asksStore: Bool { false }
}

/// What was posted, and the two headers that prove it.
public struct Delivery: Sendable {
    public var body: [UInt8]
    /// `Authorization`: Google's bearer, RevenueCat's fixed value.
    public var authorization: String?
    /// `Stripe-Signature`, `X-PurchaseKit-Signature`.
    public var signature: String?

    public init(body: [UInt8], authorization: String? = nil, signature: String? = nil) {
        self.body = body
        self.authorization = authorization
        self.signature = signature
    }
}

public import Domain

/// Proves that a webhook's delivery is the store's and ours, and says what it means. Any thread may verify, several at a
/// time.
public protocol StoreVerifier: Sendable {
    /// It asks the store's API and blocks meanwhile: it runs on the threads that may wait.
    var asksStore: Bool { get }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event

    /// What a body means that was proven when it was committed: signatures that it carries are checked as of then, and
    /// headers are gone. Nil: nothing without an answer of the store's API, which a replay does not ask.
    func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event?
}

extension StoreVerifier {
    public var asksStore: Bool { false }

    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? { nil }
}

/// A body as the ledger keeps it, and what is known of it beside it.
public struct StoredDelivery: Sendable {
    /// The event's: a body may have brought several.
    public var id: String
    public var body: [UInt8]
    public var environment: StoreEnvironment
    public var app: String
    public var receivedAt: Instant

    public init(id: String, body: [UInt8], environment: StoreEnvironment, app: String, receivedAt: Instant) {
        self.id = id
        self.body = body
        self.environment = environment
        self.app = app
        self.receivedAt = receivedAt
    }
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

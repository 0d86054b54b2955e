public import Domain

/// Proves that a webhook's delivery is the store's and ours, and says what it means. Any thread may verify, several at a
/// time.
public protocol StoreVerifier: Sendable {
    /// It asks the store's API and blocks meanwhile: it runs on the threads that may wait.
    var asksStore: Bool { get }

    /// The header that holds the signature, in lower case; nil for a store that signs otherwise.
    var signatureHeader: StaticString? { get }

    /// How the store is answered, beside the codes that all stores get.
    var answers: WebhookAnswers { get }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event

    /// What a body means that was proven when it was committed. Signatures that it carries are checked as of then;
    /// headers are gone. Nil when only the store's API could say it, which a replay does not ask.
    func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event?
}

extension StoreVerifier {
    public var asksStore: Bool { false }
    public var signatureHeader: StaticString? { nil }
    public var answers: WebhookAnswers { WebhookAnswers() }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? { nil }
}

/// How a store is answered.
public struct WebhookAnswers: Sendable, Equatable {
    /// 204 and no body: Pub/Sub reads nothing but the status.
    public var isEmpty: Bool
    /// The status for senders who do not prove to be the store: 401 where a header alone proves it, so that an operator
    /// looks at that header.
    public var untrusted: Int

    public init(isEmpty: Bool = false, untrusted: Int = 400) {
        self.isEmpty = isEmpty
        self.untrusted = untrusted
    }
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
    /// What the verifier's `signatureHeader` holds.
    public var signature: String?

    public init(body: [UInt8], authorization: String? = nil, signature: String? = nil) {
        self.body = body
        self.authorization = authorization
        self.signature = signature
    }
}

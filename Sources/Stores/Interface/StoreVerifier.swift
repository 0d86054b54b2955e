public import Domain
import Encoding

/// Verifies that a webhook's delivery comes from the store and is for us, and interprets it. Several threads may verify
/// at the same time.
public protocol StoreVerifier: Sendable {
    /// Whether it calls the store's API, and so blocks: it then runs on the threads that may wait.
    var asksStore: Bool { get }

    /// The header that holds the signature, in lower case; nil for a store that signs otherwise.
    var signatureHeader: StaticString? { get }

    /// The status codes with which the store is answered, where they differ from those for all stores.
    var answers: WebhookAnswers { get }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event

    /// Interprets a body that was verified when it was committed. Signatures inside it are checked as of that time; its
    /// headers were not stored. Returns nil if the body means nothing without the store's API, which a replay does not
    /// ask.
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
    /// The status for senders who cannot prove that they are the store: 401 where a header alone proves it, so that an
    /// operator looks at that header.
    public var untrusted: Int

    public init(isEmpty: Bool = false, untrusted: Int = 400) {
        self.isEmpty = isEmpty
        self.untrusted = untrusted
    }
}

/// A body as the ledger stores it, with what the ledger knows about it.
public struct StoredDelivery: Sendable {
    /// The event's id: one body may have brought several events.
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

/// A posted body, and the headers that authenticate it.
public struct Delivery: Sendable {
    public var body: [UInt8]
    /// `Authorization`: Google's bearer token or RevenueCat's fixed value.
    public var authorization: String?
    /// The value of the verifier's `signatureHeader`; nil if it was not sent, or sent twice.
    public var signature: String?

    public init(body: [UInt8], authorization: String? = nil, signature: String? = nil) {
        self.body = body
        self.authorization = authorization
        self.signature = signature
    }
}

/// What a delivery that proves nothing says about itself. It tells a store with whose secret something is wrong from
/// strangers who post junk, and decides nothing. What it returns may be logged: it is short and has no other characters
/// than letters, digits, `_`, `-` and `.`.
public enum ClaimedID {
    /// Bodies beyond this are not looked into. The largest genuine ones have about 100 KB.
    static let limit = 256 << 10

    public static func object(_ body: [UInt8]) -> StoreObject? {
        body.count <= limit ? StoreObject(JSONNode(body)) : nil
    }

    /// A member that has a store's form of ids: 8 to 64 characters after `prefix`.
    public static func text(_ name: String, in object: StoreObject?, prefix: String = "") -> String? {
        guard let text = object?[name]?.text, text.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        return (8...64).contains(rest.count) && text.utf8.allSatisfy(isPlain) ? text : nil
    }

    /// A member that is a UUID.
    public static func uuid(_ name: String, in object: StoreObject?) -> String? {
        guard let text = text(name, in: object), text.utf8.count == 36 else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isRight = parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { Hex.decode(String($0)) != nil }
        return isRight ? text : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "_-.".utf8.contains(byte) }
}

/// ASCII's.
func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
}

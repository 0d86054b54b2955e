import Crypto
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

/// The stored form of a purchase that was read at Google or Stripe. The answer cannot be requested again: the API
/// only reports the current state, and a notification says little more than that something has changed.
struct StoredReading: Sendable {
    /// The limit of a webhook's body. Google's answers have about 2 KiB, Stripe's 8.
    private static let limit = 256 << 10

    /// Why it was read.
    enum Cause: Sendable {
        case notification([UInt8])
        /// No notification: we asked ourselves, or an app posted the purchase.
        case purchase(token: String, isSubscription: Bool)
    }

    struct Answer: Sendable {
        var body: [UInt8]
        /// When the reading was begun.
        var readAt: Instant
    }

    let cause: Cause
    let answer: Answer

    /// Returns nil for an answer that is too large to store.
    init?(_ cause: Cause, answer: Answer) {
        guard answer.body.count <= StoredReading.limit else { return nil }
        self.cause = cause
        self.answer = answer
    }

    /// Returns nil for a body in another format: nothing was read, or an older version stored it.
    init?(_ body: [UInt8]) {
        guard let file = JSONNode(body), let reading = file["reading"]?.text, let readAt = file["readAt"]?.integer
        else { return nil }
        switch (file["notification"]?.text, file["purchaseToken"]?.text, file["productToken"]?.text) {
        case (let notification?, nil, nil): cause = .notification(Array(notification.utf8))
        case (nil, let token?, nil): cause = .purchase(token: token, isSubscription: true)
        case (nil, nil, let token?): cause = .purchase(token: token, isSubscription: false)
        default: return nil
        }
        answer = Answer(body: Array(reading.utf8), readAt: Instant(milliseconds: readAt))
    }

    /// Keeps both texts byte for byte. Nil when one of them is not UTF-8.
    var bytes: [UInt8]? {
        guard let reading = String(validating: answer.body, as: UTF8.self) else { return nil }
        let (name, text): (String, String?) =
            switch cause {
            case .notification(let body): ("notification", String(validating: body, as: UTF8.self))
            case .purchase(let token, let isSubscription): (isSubscription ? "purchaseToken" : "productToken", token)
            }
        guard let text else { return nil }
        let why = #""\#(name)":\#(JSONLiteral.literal(text))"#
        let what = #""reading":\#(JSONLiteral.literal(reading)),"readAt":\#(answer.readAt.milliseconds)"#
        return Array("{\(why),\(what)}".utf8)
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

/// `t=SECONDS,v1=HEX[,v1=HEX…]`, an HMAC-SHA256 of `SECONDS.BODY`: `Stripe-Signature`
/// (https://docs.stripe.com/webhooks#verify-manually) and `X-RevenueCat-Webhook-Signature`
/// (https://www.revenuecat.com/docs/integrations/webhooks). While secrets are rolled, there is one `v1` for each. Every attempt
/// to deliver is signed anew.
enum TimestampedSignature {
    /// Genuine headers have at most two, while a secret is rolled.
    private static let limit = 16

    /// Accepts any code that any secret made. It checks the age only after the signature, and tells `timed` of one that is
    /// genuine and of another time.
    static func check(
        _ delivery: Delivery,
        secrets: [[UInt8]],
        tolerance: Duration,
        now: Instant,
        timed: (StoreTime) -> Void
    ) throws(VerificationError) {
        let fields = (delivery.signature ?? "").split(separator: ",", maxSplits: 64).map { field in
            field.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        let times = fields.filter { $0.count == 2 && $0[0] == "t" }
        let codes = fields.filter { $0.count == 2 && $0[0] == "v1" }
        guard times.count == 1, let timestamp = times.first?.last, let seconds = Int64(timestamp),
            timestamp.utf8.allSatisfy(\.isDigit), (1...TimestampedSignature.limit).contains(codes.count)
        else { throw .malformed(.missingSignature) }
        let given = codes.compactMap { Hex.decode(String($0[1])) }
        // As in the header, because the signature covers it.
        let message = Array("\(timestamp).".utf8) + delivery.body
        let isGenuine = secrets.contains { secret in
            let expected = HMAC.authenticate(message, key: secret)
            return given.contains { constantTimeCompare($0, with: expected) }
        }
        guard isGenuine else { throw .untrusted(.badSignature) }
        let limit = tolerance.components.seconds
        // Nobody signs for another millennium.
        let signedAt = Instant(milliseconds: min(max(seconds, 0), 1 << 40) * 1000)
        guard seconds >= now.seconds - limit else {
            timed(.signed(signedAt))
            throw .untrusted(.signedInPast)
        }
        guard seconds <= now.seconds + limit else {
            timed(.signed(signedAt))
            throw .untrusted(.signedInFuture)
        }
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

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "_-.".utf8.contains(byte) }
}

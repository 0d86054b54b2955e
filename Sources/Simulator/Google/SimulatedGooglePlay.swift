public import Crypto
public import Domain
internal import Encoding

/// Builds Google Play's notifications as Pub/Sub pushes them, with a token that a development server accepts, and the
/// purchases that Google's API returns. It does no I/O.
public struct SimulatedGooglePlay: SimulatedStore {
    public static let provider = Provider.google

    public static let types = subscriptionTypes.map(\.name) + productTypes.map(\.name) + otherTypes

    /// The claims that a development server expects of a push, and its own identity.
    public static let audience = "https://paycast.example/webhooks/google"
    public static let pushAccount = "push@paycast-development.iam.gserviceaccount.com"
    public static let serviceAccount = "paycast@paycast-development.iam.gserviceaccount.com"
    public static let keyID = "development"
    public static let package = "com.example.paycast"

    private static let subscriptionTypes: [(number: Int64, name: String)] = [
        (1, "SUBSCRIPTION_RECOVERED"), (2, "SUBSCRIPTION_RENEWED"), (3, "SUBSCRIPTION_CANCELED"),
        (4, "SUBSCRIPTION_PURCHASED"), (5, "SUBSCRIPTION_ON_HOLD"), (6, "SUBSCRIPTION_IN_GRACE_PERIOD"),
        (7, "SUBSCRIPTION_RESTARTED"), (8, "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED"), (9, "SUBSCRIPTION_DEFERRED"),
        (10, "SUBSCRIPTION_PAUSED"), (11, "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED"), (12, "SUBSCRIPTION_REVOKED"),
        (13, "SUBSCRIPTION_EXPIRED"), (17, "SUBSCRIPTION_ITEMS_CHANGED"), (18, "SUBSCRIPTION_CANCELLATION_SCHEDULED"),
        (19, "SUBSCRIPTION_PRICE_CHANGE_UPDATED"), (20, "SUBSCRIPTION_PENDING_PURCHASE_CANCELED"),
        (22, "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED"),
    ]
    private static let productTypes: [(number: Int64, name: String)] = [
        (1, "ONE_TIME_PRODUCT_PURCHASED"), (2, "ONE_TIME_PRODUCT_CANCELED"),
    ]
    private static let otherTypes = ["VOIDED_PURCHASE", "PENDING_REFUND_REVIEW", "TEST"]

    private let key: RSAPrivateKey
    private let audience: String
    private let account: String

    /// `key` is the workspace's key. The other defaults are what the server expects unless its settings say otherwise.
    public init(
        key: RSAPrivateKey,
        audience: String = SimulatedGooglePlay.audience,
        account: String = SimulatedGooglePlay.pushAccount
    ) {
        self.key = key
        self.audience = audience
        self.account = account
    }

    /// The purchase token, which is the contract's id in entitlements. The facts of a new purchase hold only a number.
    public static func lineage(of facts: SimulatedSubscription) -> String {
        facts.lineage.contains(".") ? facts.lineage : "token.\(facts.lineage)"
    }

    /// The token of the purchase that replaces another one: after a change of plan, or when a subscription comes back.
    public static func successor(of token: String) -> String { "token.\(StoreID.make(token, "next"))" }

    /// Accepts types by name, and subscription types by number, too. The subtype adds what the type leaves open. For a
    /// purchase: `trial`, `pending`, `upgrade`, `pending_upgrade`, `downgrade`, `again` (in the app, of what was cancelled)
    /// or `resubscribe` (in the Play Store, after the end). For an expiry: `voluntary`, `billing`, `price`, `replaced`
    /// or `other`. For a price change: `accepted`. For changed items: `offer`. For a void: `past` or `partial`.
    ///
    /// The event's token is the account id of all of them: a purchase that follows another one has to carry its id.
    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let (type, number) = SimulatedGooglePlay.type(event.type)
        let id = event.id ?? StoreID.make(Hex.encode(randomBytes(12)))
        let content = GoogleDocuments(event, type: type, package: event.app ?? SimulatedGooglePlay.package)
        let push: WireJSON = [
            "message": [
                "data": .text(Base64.encode(content.notice(number).bytes)), "messageId": .text(id),
                "publishTime": .text(event.now.iso8601), "attributes": [:],
            ],
            "subscription": "projects/paycast-development/subscriptions/play",
        ]
        var delivery = SimulatedDelivery(
            path: "/webhooks/google",
            headers: [("Authorization", "Bearer \(try token(at: event.now))")],
            body: push.bytes,
            event: content.void ?? id,
            documents: content.answers.map { (path: $0.path, json: $0.json.bytes) }
        )
        delivery.history = content.history.map { (path: $0.path, json: $0.json.bytes) }
        return delivery
    }

    /// Pub/Sub obtains a new token for each attempt.
    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(CryptoError) -> SimulatedDelivery {
        var delivery = delivery
        delivery.headers = [("Authorization", "Bearer \(try token(at: now))")]
        return delivery
    }

    /// The token of the push. Tests pass other claims, or another header, to send a wrong token.
    public func token(
        at now: Instant,
        claims changes: [(name: String, json: String?)] = [],
        header: String = #"{"alg":"RS256","kid":"development","typ":"JWT"}"#
    ) throws(CryptoError) -> String {
        var claims: [(name: String, json: String)] = [
            ("aud", "\"\(audience)\""), ("azp", "\"1\""), ("email", "\"\(account)\""), ("email_verified", "true"),
            ("exp", String(now.seconds + 3600)), ("iat", String(now.seconds)),
            ("iss", #""https://accounts.google.com""#), ("sub", "\"1\""),
        ]
        for change in changes {
            claims.removeAll { $0.name == change.name }
            if let json = change.json { claims.append((change.name, json)) }
        }
        let payload = "{\(claims.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }

    /// An unknown name is sent as a subscription notification with a number that Google does not use yet.
    private static func type(_ said: String) -> (name: String, number: Int64?) {
        if let known = subscriptionTypes.first(where: { $0.name == said || String($0.number) == said }) {
            return (known.name, known.number)
        }
        if let known = productTypes.first(where: { $0.name == said }) { return (known.name, known.number) }
        return otherTypes.contains(said) ? (said, nil) : (said, Int64(said) ?? 99)
    }
}

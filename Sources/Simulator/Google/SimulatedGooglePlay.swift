public import Crypto
public import Domain
import Encoding

/// Builds Google Play's notifications as Pub/Sub pushes them, with a token that a development server accepts, and the
/// purchases that Google's API returns. It does no I/O.
public struct SimulatedGooglePlay: SimulatedStore {
    public static let provider = Provider.google

    public static let types = notices.map(\.name)

    /// The claims that a development server expects of a push, and its own identity.
    public static let audience = "https://paycast.example/webhooks/google"
    public static let pushAccount = "push@paycast-development.iam.gserviceaccount.com"
    public static let serviceAccount = "paycast@paycast-development.iam.gserviceaccount.com"
    public static let keyID = "development"
    public static let package = "com.example.paycast"

    /// Subscriptions first: a number alone is one of theirs.
    private static let notices: [(number: Int64?, name: String)] = [
        (1, "SUBSCRIPTION_RECOVERED"), (2, "SUBSCRIPTION_RENEWED"), (3, "SUBSCRIPTION_CANCELED"),
        (4, "SUBSCRIPTION_PURCHASED"), (5, "SUBSCRIPTION_ON_HOLD"), (6, "SUBSCRIPTION_IN_GRACE_PERIOD"),
        (7, "SUBSCRIPTION_RESTARTED"), (8, "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED"), (9, "SUBSCRIPTION_DEFERRED"),
        (10, "SUBSCRIPTION_PAUSED"), (11, "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED"), (12, "SUBSCRIPTION_REVOKED"),
        (13, "SUBSCRIPTION_EXPIRED"), (17, "SUBSCRIPTION_ITEMS_CHANGED"), (18, "SUBSCRIPTION_CANCELLATION_SCHEDULED"),
        (19, "SUBSCRIPTION_PRICE_CHANGE_UPDATED"), (20, "SUBSCRIPTION_PENDING_PURCHASE_CANCELED"),
        (22, "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED"), (1, "ONE_TIME_PRODUCT_PURCHASED"),
        (2, "ONE_TIME_PRODUCT_CANCELED"), (nil, "VOIDED_PURCHASE"), (nil, "PENDING_REFUND_REVIEW"), (nil, "TEST"),
    ]

    public static let steps: StepNames = [
        .initial: "SUBSCRIPTION_PURCHASED", .trial: "SUBSCRIPTION_PURCHASED/trial",
        .renew: "SUBSCRIPTION_RENEWED", .grace: "SUBSCRIPTION_IN_GRACE_PERIOD",
        .retry: "SUBSCRIPTION_ON_HOLD", .recover: "SUBSCRIPTION_RECOVERED", .cancel: "SUBSCRIPTION_CANCELED",
        .resume: "SUBSCRIPTION_RESTARTED", .expire: "SUBSCRIPTION_EXPIRED", .refund: "SUBSCRIPTION_REVOKED",
        .pause: "SUBSCRIPTION_PAUSED", .upgrade: "SUBSCRIPTION_PURCHASED/upgrade",
        .downgrade: "SUBSCRIPTION_PURCHASED/downgrade",
    ]

    public static let stepsOnce: StepNames = [
        .initial: "ONE_TIME_PRODUCT_PURCHASED", .refund: "VOIDED_PURCHASE",
    ]

    private let key: RSAPrivateKey

    /// `key` is the workspace's key.
    public init(key: RSAPrivateKey) {
        self.key = key
    }

    public init(_ workspace: DevelopmentWorkspace) {
        self.init(key: workspace.google)
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
        var delivery = try post(push.bytes, event: content.void ?? id, at: event.now)
        delivery.documents = content.answers.map { (path: $0.path, json: $0.json.bytes) }
        delivery.history = content.history.map { (path: $0.path, json: $0.json.bytes) }
        return delivery
    }

    /// Pub/Sub obtains a new token for each attempt.
    public func headers(of body: [UInt8], at now: Instant) throws(CryptoError) -> [(String, String)] {
        [("Authorization", "Bearer \(try token(at: now))")]
    }

    /// The token of the push. Tests pass other claims, or another header, to send a wrong token.
    public func token(
        at now: Instant,
        claims changes: [(name: String, json: String?)] = [],
        header: String = #"{"alg":"RS256","kid":"development","typ":"JWT"}"#
    ) throws(CryptoError) -> String {
        var claims: [(name: String, json: String)] = [
            ("aud", "\"\(SimulatedGooglePlay.audience)\""), ("azp", "\"1\""),
            ("email", "\"\(SimulatedGooglePlay.pushAccount)\""), ("email_verified", "true"),
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
        let known = notices.first { notice in notice.name == said || notice.number.map { String($0) } == said }
        guard let known else { return (said, Int64(said) ?? 99) }
        return (known.name, known.number)
    }
}

/// The push of Google Play about one purchase, and its answers in the state after it.
struct GoogleDocuments {
    private let event: SimulatedEvent
    private let model: GooglePurchaseModel
    private let type: String
    private let package: String

    init(_ event: SimulatedEvent, type: String, package: String) {
        self.event = event
        self.type = type
        self.package = package
        var model = GooglePurchaseModel(event.facts, now: event.now)
        model.apply(type, subtype: event.subtype)
        self.model = model
    }

    private var isSubscription: Bool { event.facts.kind == .subscription }

    /// `DeveloperNotification`. `number` is the type's number within its kind; nil for a kind without numbers.
    func notice(_ number: Int64?) -> WireJSON {
        var notice: WireJSON = [
            "version": "1.0", "packageName": .text(package),
            "eventTimeMillis": .text(String(event.now.milliseconds)),
        ]
        let token = WireJSON.text(model.token)
        switch (type, number) {
        case ("TEST", _): notice["testNotification"] = ["version": "1.0"]
        case ("VOIDED_PURCHASE", _):
            notice["voidedPurchaseNotification"] = [
                "purchaseToken": token, "orderId": .text(voided),
                "productType": isSubscription ? 1 : 2, "refundType": event.subtype == "partial" ? 2 : 1,
            ]
        case ("PENDING_REFUND_REVIEW", _):
            notice["pendingRefundReviewNotification"] = [
                "version": "1.0", "pendingRefundToken": .text("refund.\(model.token)"), "orderId": .text(order),
                "refundReason": 1, "obfuscatedAccountId": account,
            ]
        case (_, let number?) where type.hasPrefix("ONE_TIME_PRODUCT"):
            notice["oneTimeProductNotification"] = [
                "version": "1.0", "notificationType": .number(number), "purchaseToken": token,
                "sku": .text(model.product.id),
            ]
        case (_, let number):
            notice["subscriptionNotification"] = [
                "version": "1.0", "notificationType": .number(number ?? 0), "purchaseToken": token,
            ]
        }
        return notice
    }

    /// The API's answers from now on.
    var answers: [(path: String, json: WireJSON)] {
        guard isSubscription else { return [(path("productsv2", token: model.token), purchase)] }
        let own = (path("subscriptionsv2", token: model.token), subscription(model))
        guard let replaced = model.replaced, model.state != "PENDING", !model.isOutsideApp else { return [own] }
        var old = GooglePurchaseModel(event.facts, now: event.now)
        old.apply("SUBSCRIPTION_EXPIRED", subtype: "replaced")
        return [own, (path("subscriptionsv2", token: replaced), subscription(old))]
    }

    /// The event id under which Paycast knows the void of a whole charge; nil for anything else.
    var void: String? { type == "VOIDED_PURCHASE" && isWhole ? "void:\(voided)" : nil }

    /// The list of voided purchases from now on.
    var history: [(path: String, json: WireJSON)] {
        guard type == "VOIDED_PURCHASE" else { return [] }
        let entry: WireJSON = [
            "kind": "androidpublisher#voidedPurchase", "purchaseToken": .text(model.token), "orderId": .text(voided),
            "purchaseTimeMillis": .text(String(model.startedAt.milliseconds)),
            "voidedTimeMillis": .text(String(event.now.milliseconds)), "voidedSource": 0, "voidedReason": 1,
            "voidedQuantity": event.subtype == "partial" ? 1 : nil,
        ]
        return [("/androidpublisher/v3/applications/\(package)/purchases/voidedpurchases", entry)]
    }

    private var isWhole: Bool { event.subtype != "past" && event.subtype != "partial" }
    private var voided: String { event.subtype == "past" ? "GPA.0000-past" : order }

    private func path(_ kind: String, token: String) -> String {
        "/androidpublisher/v3/applications/\(package)/purchases/\(kind)/tokens/\(token)"
    }

    private var order: String { order(model) }

    private func order(_ model: GooglePurchaseModel) -> String {
        let number = "GPA.\(StoreID.make(model.token))"
        return model.renewals == 0 ? number : "\(number)..\(model.renewals - 1)"
    }

    private var account: WireJSON { event.token.map { .text($0.description) } ?? .null }
    private var isTest: Bool { event.environment == .sandbox }

    private func subscription(_ model: GooglePurchaseModel) -> WireJSON {
        let buyer = event.token.map { ["obfuscatedExternalAccountId": .text($0.description)] as WireJSON }
        let expired = model.isOutsideApp ? model.replaced : nil
        return [
            "kind": "androidpublisher#subscriptionPurchaseV2", "regionCode": "US",
            "startTime": .text(model.startedAt.iso8601),
            "subscriptionState": .text("SUBSCRIPTION_STATE_\(model.state)"), "latestOrderId": .text(order(model)),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING", "lineItems": .list(items(model)),
            "outOfAppPurchaseContext": expired.map {
                ["expiredPurchaseToken": .text($0), "expiredExternalAccountIdentifiers": buyer]
            },
            "externalAccountIdentifiers": expired == nil ? buyer : nil,
            "linkedPurchaseToken": expired == nil ? model.replaced.map { .text($0) } : nil,
            "pausedStateContext": model.resumesAt.map { ["autoResumeTime": .text($0.iso8601)] },
            "canceledStateContext": model.cancellation.map { [$0.rawValue: [:]] },
            "testPurchase": isTest ? [:] : nil,
        ]
    }

    /// Google promises no order; here, the newest item comes first.
    private func items(_ model: GooglePurchaseModel) -> [WireJSON] {
        let next = model.nextProduct.map { [waiting(SimulatedProduct(id: $0, kind: .subscription))] } ?? []
        return next + event.facts.addOns.reversed().map { addOn($0, of: model) } + [item(model)]
    }

    /// The plan of a deferred change has no date until it begins (android/play-billing-samples#624).
    private func waiting(_ product: SimulatedProduct) -> WireJSON {
        [
            "productId": .text(product.id),
            "autoRenewingPlan": ["autoRenewEnabled": true, "recurringPrice": price(product)],
        ]
    }

    private func addOn(_ addOn: SimulatedAddOn, of model: GooglePurchaseModel) -> WireJSON {
        let product = SimulatedProduct(id: addOn.product, kind: .subscription)
        let isOver = ["EXPIRED", "ON_HOLD", "PAUSED"].contains(model.state)
        let paidUntil = addOn.accessUntil ?? model.expiresAt
        let end = isOver ? min(paidUntil, model.expiresAt) : paidUntil
        return [
            "productId": .text(addOn.product), "expiryTime": .text(end.iso8601),
            "autoRenewingPlan": [
                "autoRenewEnabled": .flag(addOn.autoRenew && model.autoRenews), "recurringPrice": price(product),
            ],
            "latestSuccessfulOrderId": .text(order(model)),
        ]
    }

    private func item(_ model: GooglePurchaseModel) -> WireJSON {
        let price = price(model.product)
        let plan: WireJSON = [
            "autoRenewEnabled": .flag(model.autoRenews), "recurringPrice": price,
            "priceChangeDetails": model.priceChange.map {
                ["newPrice": price, "priceChangeMode": "PRICE_INCREASE", "priceChangeState": .text($0)]
            },
        ]
        return [
            "productId": .text(model.product.id), "expiryTime": .text(model.expiresAt.iso8601),
            "autoRenewingPlan": plan, "latestSuccessfulOrderId": .text(order(model)),
            "offerDetails": model.offer.map { ["basePlanId": "base", "offerId": .text($0)] },
            "offerPhase": model.phase.map { [$0: [:]] },
            "deferredItemReplacement": model.nextProduct.map { ["productId": .text($0)] },
        ]
    }

    private func price(_ product: SimulatedProduct) -> WireJSON {
        [
            "currencyCode": .text(product.currency), "units": .text(String(product.price / 1000)),
            "nanos": .number(product.price % 1000 * 1_000_000),
        ]
    }

    private var purchase: WireJSON {
        [
            "kind": "androidpublisher#productPurchaseV2", "orderId": .text(order), "regionCode": "US",
            "purchaseStateContext": ["purchaseState": .text(model.purchaseState)],
            "productLineItem": .list([
                ["productId": .text(model.product.id), "productOfferDetails": ["quantity": 1]]
            ]),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING",
            "obfuscatedExternalAccountId": event.token.map { .text($0.description) },
            "purchaseCompletionTime": model.isPaid ? .text(paidAt.iso8601) : nil,
            "testPurchaseContext": isTest ? ["fopType": "TEST"] : nil,
        ]
    }

    /// A one-time purchase without a known date gets last midnight: the same all day, and in the past.
    private var paidAt: Instant {
        event.facts.startedAt ?? Instant(milliseconds: event.now.milliseconds / 86_400_000 * 86_400_000)
    }
}

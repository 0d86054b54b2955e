import Domain
import Encoding

/// The `event` member of a webhook
/// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields).
struct RevenueCatEvent {
    let id: String
    let type: String
    let happenedAt: Instant
    let environment: StoreEnvironment
    private let isEnvironmentStated: Bool
    let app: String
    let customer: RevenueCatCustomer
    let product: String?
    let newProduct: String?
    let purchasedAt: Instant?
    let expiresAt: Instant?
    let graceUntil: Instant?
    let transaction: String?
    let originalTransaction: String?
    /// Has the members that may have any type.
    private let fields: StoreObject

    private var store: String? { fields.text("store") }
    private var periodType: String? { fields.text("period_type") }
    private var reason: String? { fields.text("cancel_reason") ?? fields.text("expiration_reason") }
    private var isTrial: Bool { periodType == "TRIAL" }
    private var isFamilyShared: Bool { fields.flag("is_family_share") ?? false }

    init(_ body: [UInt8]) throws(VerificationError) {
        guard let fields = try StoreObject(body).object("event") else { throw .malformed(.invalidPayload) }
        guard let id = try fields.checkedText("id"), let type = try fields.checkedText("type"),
            let happenedAt = try fields.checkedMilliseconds("event_timestamp_ms")
        else { throw .malformed(.invalidPayload) }
        self.fields = fields
        self.id = id
        self.type = type
        self.happenedAt = happenedAt
        // In VIRTUAL_CURRENCY_TRANSACTION the member is called `purchase_environment`.
        let stated = fields.has("environment") ? fields.text("environment") : fields.text("purchase_environment")
        environment = try RevenueCatEvent.environment(stated, of: type)
        isEnvironmentStated = stated != nil
        customer = RevenueCatCustomer(fields)
        // A member that decides nothing may have any type, because refusing a genuine event would lose it.
        let deciding = RevenueCatEvent.purchaseTypes.contains(type) ? fields : nil
        app = try deciding?.checkedText("app_id") ?? fields.text("app_id") ?? RevenueCatEvent.unnamedApp
        product = try deciding?.checkedText("product_id") ?? fields.texts("entitlement_ids", limit: 1).first
        newProduct = type == "PRODUCT_CHANGE" ? try fields.checkedText("new_product_id") : nil
        purchasedAt = try deciding?.checkedMilliseconds("purchased_at_ms")
        expiresAt = try deciding?.checkedMilliseconds("expiration_at_ms")
        graceUntil = type == "BILLING_ISSUE" ? try fields.checkedMilliseconds("grace_period_expiration_at_ms") : nil
        transaction = try deciding?.checkedID("transaction_id")
        originalTransaction = try deciding?.checkedID("original_transaction_id")
    }

    /// The app of RevenueCat's own grants, which name none.
    static let unnamedApp = "revenuecat"

    /// A Sandbox purchase must never pass as a real one, so an event that opens access has to name its environment. Two
    /// events need not: a temporary grant, which is made while the store does not answer and lasts a day at most, and
    /// an expiration, which opens nothing. A transfer without an environment is filed under Production and moves the
    /// purchases of both. An event that changes no access may name anything.
    private static func environment(_ word: String?, of type: String) throws(VerificationError) -> StoreEnvironment {
        switch word {
        case "PRODUCTION": return .production
        case "SANDBOX": return .sandbox
        case nil where !purchaseTypes.contains(type) || ["TEMPORARY_ENTITLEMENT_GRANT", "EXPIRATION"].contains(type):
            return .production
        case nil: throw .malformed(.invalidPayload)
        default:
            guard !purchaseTypes.contains(type), type != "TRANSFER" else { throw .wrongEnvironment }
            return .production
        }
    }

    /// Events about a purchase. All others, including unknown ones, change no access.
    static let purchaseTypes: Set = [
        "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "CANCELLATION", "UNCANCELLATION", "BILLING_ISSUE",
        "SUBSCRIPTION_PAUSED", "EXPIRATION", "PRODUCT_CHANGE", "SUBSCRIPTION_EXTENDED", "TEMPORARY_ENTITLEMENT_GRANT",
        "REFUND_REVERSED",
    ]
}

extension RevenueCatEvent {
    /// The contracts that some users lose and one of them gains. Every other event that lists a made-up id beside the
    /// app's says that both are one person. Nil when it names nobody.
    var transfer: Transfer? {
        guard type == "TRANSFER" else { return alias }
        let gaining = fields.texts("transferred_to")
        guard let to = RevenueCatCustomer.known(gaining) ?? gaining.first.map({ UserID($0) }) else { return nil }
        let from = fields.texts("transferred_from").map { UserID($0) }.filter { $0 != to }
        return from.isEmpty ? nil : Transfer(from: from, to: to, isEverywhere: !isEnvironmentStated)
    }

    /// A person is the same in both environments; an event about a purchase moves what belongs to its own.
    private var alias: Transfer? {
        guard type != "TEST", let user = customer.user, !customer.anonymous.isEmpty else { return nil }
        let isEverywhere = !RevenueCatEvent.purchaseTypes.contains(type)
        return Transfer(from: customer.anonymous, to: user, isEverywhere: isEverywhere, isAlias: true)
    }
}

/// The buyer, in the three places where RevenueCat names one. Any of them may hold the id that the app gave.
struct RevenueCatCustomer {
    private let ids: [String]
    /// RevenueCat's own id of the customer, which stays the same when the app identifies the user.
    let account: String?
    let token: OrderToken?

    init(_ fields: StoreObject) {
        account = fields.text("original_app_user_id")
        ids = [fields.text("app_user_id"), account].compactMap { $0 } + fields.texts("aliases")
        let attributes = fields.object("subscriber_attributes")
        let named = ["paycast_order", "order"].map { attributes?.object($0)?.text("value") }.compactMap { $0 }
        token = (named + ids).lazy.compactMap { OrderToken($0) }.first
    }

    /// The first id that the app gave; nil when RevenueCat made up all of them.
    var user: UserID? { RevenueCatCustomer.known(ids) }

    /// The ids that RevenueCat made up, each once.
    var anonymous: [UserID] {
        var found: [UserID] = []
        for id in ids.map({ UserID($0) }) where Provider.revenuecat.isAnonymous(id.text) && !found.contains(id) {
            found.append(id)
        }
        return found
    }

    static func known(_ ids: [String]) -> UserID? {
        ids.first { !Provider.revenuecat.isAnonymous($0) }.map { UserID($0) }
    }
}

extension RevenueCatEvent {
    /// The event's statement about its contract; nil when it belongs to none.
    ///
    /// CANCELLATION for BILLING_ERROR has no charge, and no state before the period ends: BILLING_ISSUE or EXPIRATION says
    /// what follows.
    func observation(_ catalog: Catalog) -> Observation? {
        guard RevenueCatEvent.purchaseTypes.contains(type), let product = product(catalog),
            let lineage = originalTransaction ?? transaction
        else { return nil }
        let kind = kind(of: product, in: catalog)
        let key = ContractKey(provider: .revenuecat, environment: environment, app: app, lineage: lineage)
        var observation = Observation(contract: key, kind: kind)
        observation.token = customer.token
        observation.account = customer.account
        observation.user = customer.user
        observation.previousLineage = provisionalLineage
        observation.store = seller
        observation.isFamilyShared = isFamilyShared
        observation.entitlements = entitlements
        observation.isPurchase = type == "INITIAL_PURCHASE" || type == "NON_RENEWING_PURCHASE"
        observation.transaction = charge(of: product, kind: kind)
        observation.snapshot = kind == .subscription ? snapshot(of: product) : endOfPurchase(product)
        // A refund ends the renewal of what may come back; the reversal does not say whether it had been on.
        if !isRefund { observation.renewal = observation.snapshot?.autoRenew }
        observation.charges = charges(of: product)
        return observation
    }

    /// The row of a purchase or a renewal, and what was given back of it. A family member is charged nothing, nor is a grant.
    private func charges(of product: String) -> [Charge] {
        guard let id = transaction, store != "PROMOTIONAL", !isFamilyShared else { return [] }
        let price = fields.thousandths("price_in_purchased_currency").map(abs)
        switch type {
        case "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE":
            var terms = ChargeTerms(product: product, purchasedAt: chargedAt, statedAt: happenedAt)
            terms.price = price
            terms.currency = fields.text("currency")
            // Of the price, as RevenueCat estimates it.
            terms.tax = fields.number("tax_percentage").flatMap { share in
                price.flatMap { (0...1).contains(share) ? Int64((Double($0) * share).rounded()) : nil }
            }
            terms.isTrial = isTrial
            terms.offer = fields.text("offer_code") ?? (periodType == "INTRO" ? "introductory" : nil)
            terms.expiresAt = expiresAt
            terms.order = customer.token
            return [Charge(id: id, terms: terms)]
        case "CANCELLATION" where isRefund:
            let amount = price == 0 ? nil : price
            return [Charge(id: id, refund: Charge.Refund(at: happenedAt, amount: amount, statedAt: happenedAt))]
        case "REFUND_REVERSED": return [Charge(id: id, refund: Charge.Refund(at: nil, statedAt: happenedAt))]
        default: return []
        }
    }

    /// Nil when the event says nothing of them; `null` says that the product opens none.
    private var entitlements: [String]? {
        switch fields["entitlement_ids"] {
        case .null: []
        case .array(_): fields.texts("entitlement_ids")
        default: nil
        }
    }

    /// The store that sold it, in Paycast's words.
    private var seller: String? {
        switch store {
        case "APP_STORE", "MAC_APP_STORE": Provider.apple.rawValue
        case "PLAY_STORE": Provider.google.rawValue
        case "RC_BILLING", "PROMOTIONAL": Provider.revenuecat.rawValue
        default: store?.lowercased()
        }
    }

    /// A provisional grant may only know its transaction, so the event that states the lineage replaces the grant.
    private var provisionalLineage: String? {
        originalTransaction == nil || originalTransaction == transaction ? nil : transaction
    }

    /// Google's products are `subscription:base-plan`; the catalog may list that, or only the subscription.
    private func product(_ catalog: Catalog) -> String? {
        guard let product, store == "PLAY_STORE", catalog[product] == nil, let cut = product.firstIndex(of: ":") else {
            return product
        }
        let subscription = String(product[..<cut])
        return catalog[subscription] == nil ? product : subscription
    }

    /// RevenueCat only states whether a purchase ends, whether it renews, and what it opens.
    private func kind(of product: String, in catalog: Catalog) -> ProductKind {
        // Whatever was bought, a grant gives access for a limited time, without a charge that would outlast it.
        if type == "TEMPORARY_ENTITLEMENT_GRANT" { return .subscription }
        let isOnce = type == "NON_RENEWING_PURCHASE" || periodType == "PROMOTIONAL" || store == "PROMOTIONAL"
        let listed = catalog[product]?.kind
        if isOnce {
            return listed.flatMap { $0 == .subscription ? nil : $0 }
                ?? (expiresAt == nil ? kindForEver(product, in: catalog) : .nonRenewing)
        }
        if let listed { return listed }
        let mayBeOnce = isRefund || type == "EXPIRATION" || type == "REFUND_REVERSED"
        return mayBeOnce && expiresAt == nil ? kindForEver(product, in: catalog) : .subscription
    }

    /// What opens nothing is handed over, such as coins; nobody owns it. The catalog's word comes before the event's.
    private func kindForEver(_ product: String, in catalog: Catalog) -> ProductKind {
        let opensByCatalog = catalog[product]?.entitlements.isEmpty == false
        return entitlements?.isEmpty == true && !opensByCatalog ? .consumable : .nonConsumable
    }

    /// Refunded by the store's support, by RevenueCat or at the web's billing, or, for a family member, no longer shared.
    var isRefund: Bool {
        guard type == "CANCELLATION" else { return false }
        if reason == "CUSTOMER_SUPPORT" { return true }
        return isFamilyShared && !["UNSUBSCRIBE", "BILLING_ERROR", "PRICE_INCREASE"].contains(reason)
    }

    /// For a subscription, only its purchases, which have prices; the snapshot states everything later. A
    /// subscription's charge without an end is dropped, because it would open access forever.
    private func charge(of product: String, kind: ProductKind) -> Transaction? {
        guard let id = transaction ?? originalTransaction else { return nil }
        let isSubscription = kind == .subscription
        if isSubscription, expiresAt == nil || type != "INITIAL_PURCHASE" && type != "RENEWAL" { return nil }
        let signedAt = isSubscription ? chargedAt : happenedAt
        var charge = Transaction(id: id, product: product, purchasedAt: chargedAt, signedAt: signedAt)
        charge.expiresAt = kind == .nonConsumable || kind == .consumable ? nil : expiresAt
        charge.revokedAt = isRefund ? happenedAt : nil
        charge.isTrial = isTrial
        // Of a refund it is negative: the reason says that it is one.
        charge.price = fields.thousandths("price_in_purchased_currency").map(abs)
        charge.currency = fields.text("currency")
        return charge
    }

    /// Never later than the event itself.
    var boughtAt: Instant { min(purchasedAt ?? happenedAt, happenedAt) }

    /// The end of a one-time purchase that was granted for a limited time.
    private func endOfPurchase(_ product: String) -> Snapshot? {
        guard type == "EXPIRATION" else { return nil }
        let end = min(expiresAt ?? happenedAt, happenedAt)
        return Snapshot(state: .expired, product: product, autoRenew: false, accessUntil: end, signedAt: happenedAt)
    }
}

extension RevenueCatEvent {
    /// Our name for it. RENEWAL is also a recovery, a resumption or an upgrade: only the previous state tells which.
    var kind: EventKind {
        switch type {
        case "INITIAL_PURCHASE" where isFamilyShared, "NON_RENEWING_PURCHASE" where isFamilyShared: .familyGranted
        case "INITIAL_PURCHASE" where isAnotherPurchase: .subscriptionResubscribed
        case "CANCELLATION" where isRefund: isFamilyShared ? .familyRevoked : .refundCompleted
        case "CANCELLATION" where isUnpaid: .billingRetry
        case "BILLING_ISSUE" where paidUntil == nil: .billingRetry
        case "EXPIRATION" where reason == "SUBSCRIPTION_PAUSED": .paused
        default: RevenueCatEvent.kinds[type] ?? .providerUnknown
        }
    }

    private static let kinds: [String: EventKind] = [
        "INITIAL_PURCHASE": .subscriptionStarted, "NON_RENEWING_PURCHASE": .purchaseCompleted,
        "RENEWAL": .subscriptionRenewed, "PRODUCT_CHANGE": .planChangeScheduled, "CANCELLATION": .autoRenewOff,
        "UNCANCELLATION": .autoRenewOn, "BILLING_ISSUE": .graceStarted, "SUBSCRIPTION_PAUSED": .pauseScheduled,
        "EXPIRATION": .subscriptionExpired, "SUBSCRIPTION_EXTENDED": .subscriptionExtended,
        "TRANSFER": .contractTransferred, "TEMPORARY_ENTITLEMENT_GRANT": .accessProvisional,
        "REFUND_REVERSED": .refundReversed, "SUBSCRIBER_ALIAS": .contractUpdated,
        "PRICE_INCREASE_CONSENT_REQUIRED": .priceChangePending,
        "PRICE_INCREASE_CONSENT_APPROVED": .priceChangeAccepted, "TEST": .providerTest,
    ]

    private var isAnotherPurchase: Bool {
        originalTransaction != nil && transaction != nil && originalTransaction != transaction
    }

    /// The store's reason, or else the type of the period.
    var subtype: String? { reason ?? (periodType == "NORMAL" ? nil : periodType) }
}

extension RevenueCatEvent {
    /// RevenueCat bridges a store's outage for a day at most
    /// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields).
    private static let provisionalTerm = Duration.seconds(86_400)

    /// The state of the subscription after the event. Nil when the event does not change it, or does not state the end
    /// of a paid period.
    func snapshot(of product: String) -> Snapshot? {
        guard let (state, autoRenew) = state, let accessUntil = accessUntil(state), !isUnnamedChange else { return nil }
        return Snapshot(
            state: state,
            product: product,
            pendingProduct: type == "PRODUCT_CHANGE" && newProduct != product ? newProduct : nil,
            autoRenew: autoRenew.map { $0 && periodType != "PREPAID" },
            accessUntil: accessUntil,
            signedAt: rank,
            isPausing: type == "SUBSCRIPTION_PAUSED",
            isTrial: isTrial
        )
    }

    /// A change that names only one product: `new_product_id` is for changes at the end of a period. The purchase that
    /// makes the change states the rest, and may have come before it.
    private var isUnnamedChange: Bool {
        type == "PRODUCT_CHANGE" && (newProduct == nil || newProduct == product)
    }

    /// `autoRenew` is nil for what happens to a period, whether or not another one follows.
    private var state: (ContractState, autoRenew: Bool?)? {
        switch type {
        case "INITIAL_PURCHASE", "RENEWAL", "UNCANCELLATION", "PRODUCT_CHANGE": (.active, true)
        case "SUBSCRIPTION_EXTENDED", "REFUND_REVERSED": (.active, nil)
        case "SUBSCRIPTION_PAUSED": (.active, true)
        case "TEMPORARY_ENTITLEMENT_GRANT": (.active, false)
        case "CANCELLATION" where isRefund: (.revoked, false)
        case "CANCELLATION" where isUnpaid: hasJustEnded ? (.inBillingRetry, true) : nil
        case "CANCELLATION": (.cancelled, false)
        case "BILLING_ISSUE": (paidUntil == nil ? .inBillingRetry : .inGracePeriod, true)
        case "EXPIRATION": reason == "SUBSCRIPTION_PAUSED" ? (.paused, true) : (.expired, false)
        default: nil
        }
    }

    /// The charge failed.
    private var isUnpaid: Bool { type == "CANCELLATION" && reason == "BILLING_ERROR" }

    /// Some ends are only stated in this way, with the date of the event, and no EXPIRATION follows (RevenueCat's
    /// community, thread 6259).
    private var hasJustEnded: Bool { expiresAt.map { $0 <= happenedAt + .seconds(60) } ?? false }

    /// How long access lasts although a charge failed: time that was paid for is never taken away.
    private var paidUntil: Instant? {
        if let graceUntil { return graceUntil }
        return expiresAt.flatMap { $0 > happenedAt ? $0 : nil }
    }

    private func accessUntil(_ state: ContractState) -> Instant? {
        let isOver = min(expiresAt ?? happenedAt, happenedAt)
        switch state {
        case _ where type == "TEMPORARY_ENTITLEMENT_GRANT":
            let limit = happenedAt + RevenueCatEvent.provisionalTerm
            return min(expiresAt ?? limit, limit)
        case .inGracePeriod: return paidUntil
        case .revoked: return happenedAt
        case .expired, .paused, .inBillingRetry: return isOver
        case .active, .cancelled, .pending, .owned, .delivered: return expiresAt
        }
    }

    /// BILLING_ISSUE, which alone states the grace, comes together with this CANCELLATION and may give another end.
    private static let simultaneous = Duration.seconds(3600)

    /// The date that orders the statements of one subscription.
    ///
    /// An event is about one period, and may be sent after the next one began. So no event counts as newer than the end
    /// of its period, and a purchase counts from when it was charged. Among events of one instant (BILLING_ISSUE,
    /// CANCELLATION and EXPIRATION come in any order), and among those after the end, the most final one counts. A
    /// provisional grant yields to all others, and a CANCELLATION because of a failed charge to what is said in that hour.
    private var rank: Instant {
        switch type {
        case "TEMPORARY_ENTITLEMENT_GRANT": return Instant(milliseconds: 0)
        case "INITIAL_PURCHASE", "RENEWAL": return chargedAt
        case "CANCELLATION" where isUnpaid:
            return max(boughtAt, saidAt - RevenueCatEvent.simultaneous) + .milliseconds(finality)
        default: return saidAt + .milliseconds(finality)
        }
    }

    private var saidAt: Instant {
        let last = (expiresAt ?? happenedAt) - .milliseconds(10)
        return max(boughtAt, min(happenedAt, last))
    }

    /// A change of plan on the web is a RENEWAL that repeats the date of the subscription's first purchase
    /// (https://www.revenuecat.com/docs/integrations/webhooks/event-flows#immediate-product-change), so there the
    /// date comes from the event.
    var chargedAt: Instant {
        guard type == "RENEWAL", let store, ["STRIPE", "RC_BILLING", "PADDLE"].contains(store) else { return boughtAt }
        return saidAt
    }

    private var finality: Int64 {
        switch type {
        case "PRODUCT_CHANGE": 0
        case "SUBSCRIPTION_PAUSED": 3
        case "BILLING_ISSUE": 4
        case "EXPIRATION": 5
        case "CANCELLATION": isRefund ? 6 : 2
        case "REFUND_REVERSED": 7
        default: 1
        }
    }
}

internal import Domain

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
    let store: String?
    let periodType: String?
    let reason: String?
    let purchasedAt: Instant?
    let expiresAt: Instant?
    let graceUntil: Instant?
    let transaction: String?
    let originalTransaction: String?
    let isFamilyShared: Bool
    let price: Int64?
    let currency: String?
    let transferredFrom: [String]
    let transferredTo: [String]

    init(_ body: [UInt8]) throws(VerificationError) {
        guard let fields = try StoreObject(body).object("event") else {
            throw .malformed(.invalidPayload)
        }
        guard let id = try fields.checkedText("id"), let type = try fields.checkedText("type"),
            let happenedAt = try fields.checkedMilliseconds("event_timestamp_ms")
        else { throw .malformed(.invalidPayload) }
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
        store = fields.text("store")
        periodType = fields.text("period_type")
        reason = fields.text("cancel_reason") ?? fields.text("expiration_reason")
        purchasedAt = try deciding?.checkedMilliseconds("purchased_at_ms")
        expiresAt = try deciding?.checkedMilliseconds("expiration_at_ms")
        graceUntil = type == "BILLING_ISSUE" ? try fields.checkedMilliseconds("grace_period_expiration_at_ms") : nil
        transaction = try deciding?.checkedID("transaction_id")
        originalTransaction = try deciding?.checkedID("original_transaction_id")
        isFamilyShared = fields.flag("is_family_share") ?? false
        price = fields.thousandths("price_in_purchased_currency")
        currency = fields.text("currency")
        transferredFrom = fields.texts("transferred_from")
        transferredTo = fields.texts("transferred_to")
    }

    /// The app of RevenueCat's own grants, which name none.
    static let unnamedApp = "revenuecat"

    /// A Sandbox purchase must never pass as a real one, so an event that opens access has to name its environment. Two
    /// events need not: a temporary grant, which is made while the store does not answer and lasts a day at most, and
    /// an expiration, which opens nothing. A transfer without an environment is filed under Production and moves the
    /// purchases of both. An event that changes no access may name anything.
    private static func environment(
        _ word: String?,
        of type: String
    ) throws(VerificationError) -> StoreEnvironment {
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
        guard let to = RevenueCatCustomer.known(transferredTo) ?? transferredTo.first.map({ UserID($0) })
        else { return nil }
        let from = transferredFrom.map { UserID($0) }.filter { $0 != to }
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

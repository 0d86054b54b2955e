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
        let stated = try fields.checkedText("environment")
        environment = try RevenueCatEvent.environment(stated, of: type)
        isEnvironmentStated = stated != nil
        app = try fields.checkedText("app_id") ?? RevenueCatEvent.unnamedApp
        customer = RevenueCatCustomer(fields)
        product = try fields.checkedText("product_id") ?? fields.texts("entitlement_ids", limit: 1).first
        newProduct = try fields.checkedText("new_product_id")
        store = fields.text("store")
        periodType = fields.text("period_type")
        reason = fields.text("cancel_reason") ?? fields.text("expiration_reason")
        purchasedAt = try fields.checkedMilliseconds("purchased_at_ms")
        expiresAt = try fields.checkedMilliseconds("expiration_at_ms")
        graceUntil = try fields.checkedMilliseconds("grace_period_expiration_at_ms")
        transaction = try fields.checkedText("transaction_id")
        originalTransaction = try fields.checkedText("original_transaction_id")
        isFamilyShared = fields.flag("is_family_share") ?? false
        price = fields.thousandths("price_in_purchased_currency")
        currency = fields.text("currency")
        transferredFrom = fields.texts("transferred_from")
        transferredTo = fields.texts("transferred_to")
    }

    /// Of what RevenueCat itself grants, which names no app.
    static let unnamedApp = "revenuecat"

    /// A transfer does not say where: it is filed under Production, and moves what is in either. Of anything else a Sandbox purchase must never pass
    /// for a real one.
    private static func environment(
        _ word: String?,
        of type: String
    ) throws(VerificationError) -> StoreEnvironment {
        switch word {
        case "PRODUCTION": .production
        case "SANDBOX": .sandbox
        case nil where type == "TRANSFER": .production
        case nil: throw .malformed(.invalidPayload)
        default: throw .wrongEnvironment
        }
    }
}

extension RevenueCatEvent {
    /// What users lose and one of them gains. Nil when it is no transfer, or names nobody.
    var transfer: Transfer? {
        guard type == "TRANSFER",
            let to = RevenueCatCustomer.known(transferredTo) ?? transferredTo.first.map({ UserID($0) })
        else { return nil }
        let from = transferredFrom.map { UserID($0) }.filter { $0 != to }
        return from.isEmpty ? nil : Transfer(from: from, to: to, isEverywhere: !isEnvironmentStated)
    }
}

internal import Domain
internal import StoreInterface

/// A webhook from PurchaseKit: its own interpretation of a store's notification, as one flat object
/// (https://github.com/PurchaseKit/purchasekit).
struct PurchaseKitEvent {
    /// Google's purchase tokens are longer than other ids.
    private static let lineageLimit = 1024

    let id: String
    let type: String
    let status: String?
    let lineage: String?
    let customer: String?
    /// `apple` or `google`.
    let store: String?
    let periodStart: Instant?
    let periodEnd: Instant?
    let endsAt: Instant?
    private let product: String?
    private let basePlan: String?
    private let name: String?

    init(_ body: [UInt8]) throws(VerificationError) {
        let fields = try StoreObject(body)
        guard let id = try fields.checkedID("event_id"), let type = try fields.checkedText("type") else {
            throw .malformed(.invalidPayload)
        }
        self.id = id
        self.type = type
        status = try fields.checkedText("status")
        lineage = try fields.checkedID("subscription_id", limit: PurchaseKitEvent.lineageLimit)
        customer = try fields.checkedID("customer_id")
        store = fields.text("store")
        product = try fields.checkedText("store_product_id")
        basePlan = try fields.checkedText("google_base_plan_id")
        name = fields.text("subscription_name")
        periodStart = try fields.checkedDate("current_period_start")
        let trialEnd = try fields.checkedDate("trial_ends_at")
        periodEnd = try fields.checkedDate("current_period_end") ?? trialEnd
        endsAt = try fields.checkedDate("ends_at")
    }

    /// The store's product, with Google's base plan if the catalog distinguishes the plans. An end may come without a
    /// product: then PurchaseKit's name of the subscription.
    func product(_ catalog: Catalog) -> String {
        let full = product.flatMap { product in basePlan.map { "\(product):\($0)" } }
        if let full, isValidIdentifier(full), catalog[full] != nil { return full }
        return product ?? name ?? ""
    }
}

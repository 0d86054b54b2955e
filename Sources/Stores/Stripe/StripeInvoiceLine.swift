internal import Domain

/// A line of an invoice (https://docs.stripe.com/api/invoice-line-item/object). Since API version 2025-03-31, `pricing`
/// names its price, and `parent` the item of the subscription.
struct StripeInvoiceLine {
    let start: Instant?
    let end: Instant
    /// Nil for what does not belong to an item of the subscription, such as a set-up fee.
    let item: String?
    let product: String?
    let isNamed: Bool
    let isProration: Bool
    private let object: StoreObject
    private let price: StoreObject?

    /// Nil without the end of a period.
    init?(_ object: StoreObject, catalog: Catalog) {
        guard let end = object.object("period")?.seconds("end") else { return nil }
        let details =
            object.object("parent", "subscription_item_details") ?? object.object("parent", "invoice_item_details")
        let pricing = object.object("pricing", "price_details")
        self.object = object
        self.end = end
        start = object.object("period")?.seconds("start")
        item = object.id("subscription_item") ?? details?.id("subscription_item")
        isProration = object.flag("proration") ?? details?.flag("proration") ?? false
        price = StoreObject(object["price"] ?? object["plan"]) ?? pricing?.object("price")
        let stated = StripePrice.product(of: object["price"] ?? object["plan"] ?? pricing?["price"], in: catalog)
        let names = [stated, pricing?.id("product")].compactMap(\.self)
        product = names.first { catalog[$0] != nil } ?? names.first
        isNamed = product.map { catalog[$0] != nil } ?? false
    }

    /// A change of plan credits the old plan on a separate line.
    private var isCredit: Bool { (object.amount("amount") ?? 0) < 0 }

    /// Whether it charges for the subscription's licensed plan: neither for something else, once, nor for usage.
    ///
    /// Where the shape does not say what is metered, its period does: usage is charged when it is over, a plan before.
    func isPlan(invoicedAt created: Instant) -> Bool {
        guard !isCredit, end > created, object.amount("quantity") != 0, StripePrice.isPlan(price) else { return false }
        let isOfNoItem = object.text("type") == "invoiceitem" || object.object("parent", "invoice_item_details") != nil
        return item != nil || isProration || !isOfNoItem
    }
}

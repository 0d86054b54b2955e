internal import Domain
internal import Encoding

/// The product that is sold, and its price.
enum StripePrice {
    /// A Stripe product may have a monthly and a yearly price, so a price is what we call a product. Returns the first
    /// of its id, its lookup key and its product's id that the catalog lists, or else its id.
    static func product(of price: JSONNode?, in catalog: Catalog) -> String? {
        guard let price = StoreObject(price) else {
            return price?.text.flatMap { isValidIdentifier($0) ? $0 : nil }
        }
        let names = [price.text("id"), price.text("lookup_key"), price.id("product")].compactMap { $0 }
        return names.first { catalog[$0] != nil } ?? names.first
    }

    /// False for what is charged once, such as a set-up fee, and for usage: neither is the plan. A price that is not
    /// expanded, or says neither, may be one.
    static func isPlan(_ price: StoreObject?) -> Bool {
        guard let price else { return true }
        let usage = price.object("recurring")?.text("usage_type") ?? price.text("usage_type")
        return price.text("type") != "one_time" && usage != "metered"
    }

    /// Converts a currency's smallest unit to thousandths. Returns nil on overflow.
    static func thousandths(_ amount: Int64?, in currency: String?) -> Int64? {
        guard let amount, let currency else { return nil }
        let factor: Int64 = withoutDecimals.contains(currency) ? 1000 : withThreeDecimals.contains(currency) ? 1 : 10
        let (product, overflow) = amount.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    // https://docs.stripe.com/currencies#zero-decimal. For historical reasons, ISK and UGX have two decimals there.
    private static let withoutDecimals: Set = [
        "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf",
    ]
    private static let withThreeDecimals: Set = ["bhd", "jod", "kwd", "omr", "tnd"]
}

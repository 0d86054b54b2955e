internal import Domain
internal import Encoding
internal import StoreInterface

/// What is sold, and for how much.
enum StripePrice {
    /// A product has one price a month and another a year, so the price is what we call a product: by the first of its
    /// id, its lookup key and its product's id that the catalogue names, else by its id.
    static func product(of price: JSONNode?, _ catalog: Catalog) -> String? {
        guard let price = StoreObject(price) else {
            return price?.text.flatMap { isPlain($0) ? $0 : nil }
        }
        let names = [price.text("id"), price.text("lookup_key"), price.id("product")].compactMap { $0 }
        return names.first { catalog[$0] != nil } ?? names.first
    }

    /// Thousandths from a currency's smallest unit. Nil for what does not fit.
    static func thousandths(_ amount: Int64?, _ currency: String?) -> Int64? {
        guard let amount, let currency else { return nil }
        let factor: Int64 = withoutDecimals.contains(currency) ? 1000 : withThreeDecimals.contains(currency) ? 1 : 10
        let (product, overflow) = amount.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    // https://docs.stripe.com/currencies#zero-decimal, where ISK and UGX count with two for old times' sake.
    private static let withoutDecimals: Set = [
        "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf",
    ]
    private static let withThreeDecimals: Set = ["bhd", "jod", "kwd", "omr", "tnd"]
}

internal import Foundation

/// What a page needs to say more of a product than its price: `{"price": 79.99, "currency": "USD", "period": "P1Y",
/// "introductory": {…}}`, each as far as the store tells it.
struct ProductTerms: Encodable, Equatable {
    struct Introductory: Encodable, Equatable {
        /// `free_trial`, `pay_as_you_go` or `pay_up_front`.
        var payment: String
        /// As the store writes it.
        var displayPrice: String
        /// In units of the product's currency.
        var price: Decimal
        /// A duration of ISO 8601, such as `P7D`.
        var period: String
        /// How often the period runs.
        var periodCount: Int
        /// Whether this user may have it.
        var isEligible: Bool?
    }

    /// In units of the currency.
    var price: Decimal?
    /// By ISO 4217, such as `USD`.
    var currency: String?
    /// A duration of ISO 8601, such as `P1Y`.
    var period: String?
    var introductory: Introductory?
}

package import Foundation

/// What a page needs to say more of a product than its price: `{"price": 79.99, "currency": "USD", "period": "P1Y",
/// "introductory": {…}}`, each as far as the store tells it.
package struct ProductTerms: Encodable, Equatable {
    package struct Introductory: Encodable, Equatable {
        /// `free_trial`, `pay_as_you_go` or `pay_up_front`.
        package var payment: String
        /// As the store writes it.
        package var displayPrice: String
        /// In units of the product's currency.
        package var price: Decimal
        /// A duration of ISO 8601, such as `P7D`.
        package var period: String
        /// How often the period runs.
        package var periodCount: Int
        /// Whether this user may have it.
        package var isEligible: Bool?

        package init(
            payment: String,
            displayPrice: String,
            price: Decimal,
            period: String,
            periodCount: Int,
            isEligible: Bool?
        ) {
            self.payment = payment
            self.displayPrice = displayPrice
            self.price = price
            self.period = period
            self.periodCount = periodCount
            self.isEligible = isEligible
        }
    }

    /// In units of the currency.
    package var price: Decimal?
    /// By ISO 4217, such as `USD`.
    package var currency: String?
    /// A duration of ISO 8601, such as `P1Y`.
    package var period: String?
    package var introductory: Introductory?

    package init(price: Decimal?, currency: String?, period: String?, introductory: Introductory?) {
        self.price = price
        self.currency = currency
        self.period = period
        self.introductory = introductory
    }
}

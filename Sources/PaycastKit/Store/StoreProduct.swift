public import Foundation

/// A product as the store sells it to this user: what a paywall shows. Values alone; the words between them are the app's.
public struct StoreProduct: Codable, Equatable, Sendable {
    public var id: String
    public var name: String
    /// The description that the store shows to buyers, or nil if the product has no description.
    public var details: String?
    /// Nil for one that is newer than this package, or if the store does not tell.
    public var kind: SignedTransaction.ProductType?
    /// With its currency, in the language of the store account: the only price that may stand on a button
    /// (https://developer.apple.com/documentation/storekit/product/displayprice).
    public var displayPrice: String
    /// To reckon with, such as for what a year costs a month: 79.99 in units of `currency`, not in cents. Nil if the store
    /// does not tell (https://developer.apple.com/documentation/storekit/product/price).
    public var price: Decimal?
    /// By ISO 4217, such as `USD`. Nil if the store does not tell.
    public var currency: String?
    /// From one renewal to the next. Nil for what does not renew by itself.
    public var period: Period?
    /// What new subscribers get, to pages as `introductory`. Nil if the product has no such offer, or one of a kind that is newer than this package.
    public var introductoryOffer: IntroductoryOffer?

    private enum CodingKeys: String, CodingKey {
        case id, name, details, kind, displayPrice, price, currency, period
        case introductoryOffer = "introductory"
    }

    public init(
        id: String,
        name: String,
        details: String? = nil,
        kind: SignedTransaction.ProductType? = nil,
        displayPrice: String,
        price: Decimal? = nil,
        currency: String? = nil,
        period: Period? = nil,
        introductoryOffer: IntroductoryOffer? = nil
    ) {
        self.id = id
        self.name = name
        self.details = details
        self.kind = kind
        self.displayPrice = displayPrice
        self.price = price
        self.currency = currency
        self.period = period
        self.introductoryOffer = introductoryOffer
    }
}

extension StoreProduct {
    /// A time by the calendar, such as 3 months (https://developer.apple.com/documentation/storekit/product/subscriptionperiod).
    /// A store may say 7 days for a week, and the other way round. Pages are told it by ISO 8601, as at Google Play.
    public struct Period: Equatable, Sendable {
        /// By ISO 8601.
        public enum Unit: String, CaseIterable, Sendable {
            case day = "D"
            case week = "W"
            case month = "M"
            case year = "Y"
        }

        public var unit: Unit
        /// How many units, from 1.
        public var value: Int

        public init(_ value: Int, _ unit: Unit) {
            self.value = value
            self.unit = unit
        }

        /// For a `Calendar`, which tells when it ends, and a `DateComponentsFormatter`, which words it in any language.
        public var dateComponents: DateComponents {
            switch unit {
            case .day: DateComponents(day: value)
            // The one of the calendar's weeks that the formatter knows.
            case .week: DateComponents(weekOfMonth: value)
            case .month: DateComponents(month: value)
            case .year: DateComponents(year: value)
            }
        }
    }

    /// What the store applies by itself to the first purchase in a group of subscriptions
    /// (https://developer.apple.com/documentation/storekit/product/subscriptionoffer).
    public struct IntroductoryOffer: Codable, Equatable, Sendable {
        public enum Payment: String, Codable, CaseIterable, Sendable {
            /// Nothing, for one `period`.
            case freeTrial = "free_trial"
            /// The offer's price in each of `periodCount` periods.
            case payAsYouGo = "pay_as_you_go"
            /// The offer's price once, for one `period`.
            case payUpFront = "pay_up_front"
        }

        public var payment: Payment
        /// In the currency and language of the product's own; of a free trial, the store's way to write 0.
        public var displayPrice: String
        /// In units of the product's currency; 0 for a free trial.
        public var price: Decimal
        public var period: Period
        /// How often `period` runs before the product's own price is paid; 1 unless it is `payAsYouGo`.
        public var periodCount: Int
        /// Whether this user of the store may have it; show it only if so. Nil until `withEligibility`. StoreKit says no
        /// while nobody is signed in to the App Store
        /// (https://developer.apple.com/documentation/storekit/product/subscriptioninfo/iseligibleforintrooffer).
        public var isEligible: Bool?

        public init(
            payment: Payment,
            displayPrice: String,
            price: Decimal,
            period: Period,
            periodCount: Int = 1,
            isEligible: Bool? = nil
        ) {
            self.payment = payment
            self.displayPrice = displayPrice
            self.price = price
            self.period = period
            self.periodCount = periodCount
            self.isEligible = isEligible
        }
    }
}

extension StoreProduct.Period: RawRepresentable, Codable {
    /// By ISO 8601, such as `P3M`.
    public var rawValue: String { "P\(value)\(unit.rawValue)" }

    public init?(rawValue: String) {
        guard rawValue.first == "P", let unit = Unit(rawValue: String(rawValue.suffix(1))),
            let value = Int(rawValue.dropFirst().dropLast())
        else { return nil }
        self.init(value, unit)
    }
}

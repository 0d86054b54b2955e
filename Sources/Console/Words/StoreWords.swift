import APIModel
import Domain

/// Names and states as people say them.
enum StoreWords {
    /// `Apple`; an unknown store by its own word.
    static func store(_ provider: String) -> String {
        switch provider {
        case "apple": "Apple"
        case "google": "Google"
        case "stripe": "Stripe"
        case "revenuecat": "RevenueCat"
        case "purchasekit": "PurchaseKit"
        case Provider.paycast.rawValue: "your grant"
        default: provider
        }
    }

    /// A `ContractState` in one or two words: names of bands, and of rows.
    static func state(_ state: String) -> String {
        switch ContractState(rawValue: state) {
        case .pending: "waiting for payment"
        case .active: "active"
        case .cancelled: "active, will end"
        case .inGracePeriod: "grace period"
        case .inBillingRetry: "payment failed"
        case .paused: "paused"
        case .expired: "ended"
        case .revoked: "taken back"
        case .owned: "owned"
        case .delivered: "delivered"
        case nil: state
        }
    }

    /// The tone of a state, beside its word.
    static func tone(_ state: String) -> String {
        switch ContractState(rawValue: state) {
        case .active, .owned, .delivered: "good"
        case .cancelled, .inGracePeriod: "warn"
        case .inBillingRetry, .revoked: "stop"
        case .pending: "wait"
        case .paused, .expired, nil: "quiet"
        }
    }

    /// The same, but a purchase that gives no access is no good news.
    static func tone(_ item: EntitlementItem) -> String {
        let opens = ContractState(rawValue: item.state)?.givesAccess == true
        return opens && !item.active ? "stop" : tone(item.state)
    }

    /// The tone of an event's outcome, beside its word.
    static func tone(ofOutcome outcome: String?) -> String {
        switch outcome.flatMap(Outcome.init) {
        case .applied: "good"
        case .unclaimed: "warn"
        case .quarantined: "stop"
        case .stale, .duplicate, .ignored, nil: "quiet"
        }
    }

    /// `1 try`, `2 tries`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// `9.99 EUR`; nil for no amount.
    static func price(_ thousandths: Int64?, currency: String?) -> String? {
        guard let thousandths, let currency else { return nil }
        let sign = thousandths < 0 ? "−" : ""
        let (units, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        let cents = rest / 10
        return "\(sign)\(units).\(cents < 10 ? "0" : "")\(cents) \(currency)"
    }
}

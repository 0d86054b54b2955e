import APIModel
import Domain

/// What a committed entry was, as people say it.
enum EventNames {
    /// `Renewed`; an unknown kind by its own word.
    static func title(_ kind: String) -> String {
        guard let known = EventKind(rawValue: kind) else { return kind }
        if let words = subscription(known) ?? purchase(known) { return words }
        let words = kind.replacing(".", with: " ").replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func subscription(_ kind: EventKind) -> String? {
        switch kind {
        case .subscriptionStarted: "Subscribed"
        case .subscriptionResubscribed: "Subscribed again"
        case .subscriptionRenewed: "Renewed"
        case .subscriptionRecovered: "Paid after all"
        case .subscriptionExtended: "Extended by the store"
        case .planChanged: "Changed the plan"
        case .planChangeScheduled: "Plan changes at the next renewal"
        case .planChangeCancelled: "Plan change called off"
        case .autoRenewOff: "Turned renewal off"
        case .autoRenewOn: "Turned renewal on again"
        case .offerApplied: "Took an offer"
        case .graceStarted: "Payment failed: grace period"
        case .billingRetry: "Payment failed"
        case .subscriptionExpired: "Ended"
        case .pauseScheduled: "Pauses after this period"
        case .paused: "Paused"
        case .resumed: "Resumed"
        default: nil
        }
    }

    private static func purchase(_ kind: EventKind) -> String? {
        switch kind {
        case .purchasePending: "Bought, not paid yet"
        case .purchasePendingCancelled: "Purchase called off"
        case .purchaseCompleted: "Bought"
        case .refundRequested: "Asked for a refund"
        case .refundCompleted: "Refunded"
        case .refundDeclined: "Refund declined"
        case .refundReversed: "Refund reversed"
        case .familyGranted: "Shared with the family"
        case .familyRevoked: "No longer shared with the family"
        case .contractTransferred: "Moved to another user"
        case .accessGranted: "Granted"
        case .accessRevoked: "Taken back"
        case .providerTest: "Test of the store"
        case .accessEnded: "Ended by itself"
        case .orderClaimed: "An order claimed what was bought"
        case .broadcast: "Your app sent a fragment"
        case .userErased, .contractErased: "About an erased user"
        case .providerUnknown: "Not known to Paycast"
        default: nil
        }
    }

    /// The store's own words: `DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED`; nil for what no store said.
    static func ownWords(_ item: FeedItem) -> String? {
        guard let type = item.type else { return nil }
        return item.subtype.map { "\(type)/\($0)" } ?? type
    }

    /// Whether it is a charge, or takes one back.
    static func mark(_ kind: String) -> TimeLine.Mark.Kind? {
        switch EventKind(rawValue: kind) {
        case .subscriptionStarted, .subscriptionResubscribed, .subscriptionRenewed, .subscriptionRecovered,
            .purchaseCompleted, .planChanged:
            .charge
        case .accessGranted: .grant
        case .refundCompleted, .familyRevoked, .accessRevoked: .refund
        case .graceStarted, .billingRetry: .failure
        default: nil
        }
    }
}

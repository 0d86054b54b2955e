import APIModel
import Domain

/// What a committed entry was, as people say it.
enum EventNames {
    private static let titles: [EventKind: String] = [
        .subscriptionStarted: "Subscribed", .subscriptionResubscribed: "Subscribed again",
        .subscriptionRenewed: "Renewed", .subscriptionRecovered: "Paid after all",
        .subscriptionConverted: "Paid after the trial",
        .subscriptionExtended: "Extended by the store", .subscriptionExpired: "Ended",
        .planChanged: "Changed the plan", .planChangeScheduled: "Plan changes at the next renewal",
        .planChangeCancelled: "Plan change called off", .offerApplied: "Took an offer",
        .autoRenewOff: "Turned renewal off", .autoRenewOn: "Turned renewal on again",
        .graceStarted: "Payment failed: grace period", .billingRetry: "Payment failed",
        .pauseScheduled: "Pauses after this period", .paused: "Paused", .resumed: "Resumed",
        .purchasePending: "Bought, not paid yet", .purchasePendingCancelled: "Purchase called off",
        .purchaseCompleted: "Bought", .refundRequested: "Asked for a refund", .refundCompleted: "Refunded",
        .refundDeclined: "Refund declined", .refundReversed: "Refund reversed",
        .familyGranted: "Shared with the family", .familyRevoked: "No longer shared with the family",
        .contractTransferred: "Moved to another user", .accessGranted: "Granted", .accessRevoked: "Taken back",
        .accessEnded: "Ended by itself", .catalogChanged: "The catalog opens something else",
        .orderClaimed: "An order claimed what was bought",
        .broadcast: "Your app sent a fragment", .pagesEnded: "Open pages ended", .userErased: "About an erased user",
        .contractErased: "About an erased user", .providerTest: "Test of the store",
        .providerUnknown: "Not known to Paycast",
    ]

    /// `Renewed`; an unknown kind by its own word.
    static func title(_ kind: String) -> String {
        guard let known = EventKind(rawValue: kind) else { return kind }
        if let title = titles[known] { return title }
        let words = kind.replacing(".", with: " ").replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The store's own words: `DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED`; nil for what no store said.
    static func ownWords(_ item: FeedItem) -> String? {
        guard let type = item.type else { return nil }
        return item.subtype.map { "\(type)/\($0)" } ?? type
    }

    /// Whether it is a charge, or takes one back.
    static func mark(_ kind: String) -> ContractHistory.Moment.Kind? {
        switch EventKind(rawValue: kind) {
        case .subscriptionStarted, .subscriptionResubscribed, .subscriptionRenewed, .subscriptionRecovered,
            .subscriptionConverted, .purchaseCompleted, .planChanged:
            .charge
        case .accessGranted: .grant
        case .refundCompleted, .familyRevoked, .accessRevoked: .refund
        case .graceStarted, .billingRetry: .failure
        default: nil
        }
    }
}

extension FeedItem {
    /// The store's date, or the ledger's.
    var date: Instant? { (occurredAt ?? at).instant }

    func hasChanged(_ item: ContractItem) -> Bool { hasChanged(item.contract, of: item.provider) }

    /// Whether a store told a contract's story with it, be its user known or not.
    func hasTold(_ item: ContractItem) -> Bool {
        let told = outcome == Outcome.applied.rawValue || outcome == Outcome.unclaimed.rawValue
        return told && provider == item.provider && contract?.hasSameBytes(as: item.contract) == true
    }

    private func hasChanged(_ contract: String, of provider: String?) -> Bool {
        outcome == Outcome.applied.rawValue && self.provider == provider
            && self.contract?.hasSameBytes(as: contract) == true
    }

    /// The newest event by the store's date that was there before this one, and made it stale; nil if it is not among these.
    func newer(among events: [FeedItem]) -> FeedItem? {
        guard let contract, let date else { return nil }
        return events.first { other in
            other.hasChanged(contract, of: provider) && other.at <= at && other.date.map { $0 > date } == true
        }
    }
}

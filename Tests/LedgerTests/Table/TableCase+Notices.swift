import Domain

/// Rows 24 to 26, 28, 37 to 40, and 42: what stores tell without touching access.
extension TableCase {
    static let noticeRows = [
        notice(24, at: .apple, says: "RENEWAL_EXTENSION/FAILURE", is: .extensionFailed),
        unrelated(24, at: .apple, says: "RENEWAL_EXTENSION/SUMMARY", is: .extensionSummary),
        notice(25, at: .apple, says: "PRICE_INCREASE/PENDING", is: .priceChangePending),
        notice(25, at: .apple, says: "PRICE_CHANGE", is: .priceChangePending),
        notice(25, at: .google, says: "19", is: .priceChangePending),
        notice(25, at: .google, says: "22", is: .priceChangePending),
        unrelated(25, at: .revenuecat, says: "PRICE_INCREASE_CONSENT_REQUIRED", is: .priceChangePending),
        notice(26, at: .apple, says: "PRICE_INCREASE/ACCEPTED", is: .priceChangeAccepted),
        notice(26, at: .google, says: "8", is: .priceChangeAccepted),
        notice(26, at: .google, says: "19/accepted", is: .priceChangeAccepted),
        notice(26, at: .google, says: "22/accepted", is: .priceChangeAccepted),
        unrelated(26, at: .revenuecat, says: "PRICE_INCREASE_CONSENT_APPROVED", is: .priceChangeAccepted),
        notice(28, at: .apple, says: "CONSUMPTION_REQUEST", is: .refundRequested),
        unrelated(28, at: .google, says: "PENDING_REFUND_REVIEW", is: .refundRequested),
        unrelated(
            28,
            at: .stripe,
            says: "charge.dispute.created",
            after: "checkout.session.completed",
            of: .nonConsumable,
            is: .refundRequested
        ),
        notice(37, at: .apple, says: "METADATA_UPDATE", is: .contractUpdated),
        notice(37, at: .google, says: "17", is: .contractUpdated),
        // A session that only stores a card.
        unrelated(37, at: .stripe, says: "checkout.session.completed/setup", is: .contractUpdated),
        unrelated(37, at: .revenuecat, says: "SUBSCRIBER_ALIAS", is: .contractUpdated),
        // The contract goes on under another id, and takes the old one's place.
        TableCase(
            37,
            at: .apple,
            says: "MIGRATION",
            after: [subscribed],
            is: .contractUpdated,
            state: .active,
            until: .day(30)
        ),
        unrelated(38, at: .apple, says: "EXTERNAL_PURCHASE_TOKEN/CREATED", is: .externalToken),
        unrelated(38, at: .apple, says: "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", is: .externalToken),
        unrelated(38, at: .apple, says: "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", is: .externalToken),
        // The app's own server decides what a child may still see.
        unrelated(39, at: .apple, says: "RESCIND_CONSENT", is: .consentRescinded, shows: ["refresh"]),
        unrelated(40, at: .apple, says: "TEST", is: .providerTest),
        unrelated(40, at: .google, says: "TEST", is: .providerTest),
        unrelated(40, at: .revenuecat, says: "TEST", is: .providerTest),
        unrelated(42, at: .stripe, says: "entitlements.active_entitlement_summary.updated", is: .providerUnknown),
        // RevenueCat's events carry no state but in their names.
        unrelated(42, at: .revenuecat, says: "SOMETHING_NEW", is: .providerUnknown),
    ]

    private static func first(_ provider: Provider) -> StoreStatement {
        switch provider {
        case .apple: subscribed
        case .google: "4"
        case .stripe: created
        default: initial
        }
    }

    /// Of a contract, which stays as it is.
    private static func notice(_ row: Int, at provider: Provider, says statement: StoreStatement, is kind: EventKind)
        -> TableCase
    {
        TableCase(
            row,
            at: provider,
            says: statement,
            after: [first(provider)],
            is: kind,
            state: .active,
            until: .day(30)
        )
    }

    /// Of no contract.
    private static func unrelated(
        _ row: Int,
        at provider: Provider,
        says statement: StoreStatement,
        after before: StoreStatement? = nil,
        of sold: ProductKind = .subscription,
        is kind: EventKind,
        shows fragments: [String] = []
    ) -> TableCase {
        TableCase(
            row,
            at: provider,
            says: statement,
            after: [before ?? first(provider)],
            of: sold,
            is: kind,
            state: nil,
            isOpen: true,
            until: .none,
            shows: fragments
        )
    }
}

import Domain

/// Rows 24 to 26, 28, and 37 to 40: what stores tell without touching access.
extension TableCase {
    static let noticeRows = [
        notice(24, .apple, "RENEWAL_EXTENSION/FAILURE", is: .extensionFailed),
        unrelated(24, .apple, "RENEWAL_EXTENSION/SUMMARY", is: .extensionSummary),
        notice(25, .apple, "PRICE_INCREASE/PENDING", is: .priceChangePending),
        notice(25, .apple, "PRICE_CHANGE", is: .priceChangePending),
        notice(25, .google, "19", is: .priceChangePending),
        notice(25, .google, "22", is: .priceChangePending),
        notice(26, .apple, "PRICE_INCREASE/ACCEPTED", is: .priceChangeAccepted),
        notice(26, .google, "8", is: .priceChangeAccepted),
        notice(26, .google, "19/accepted", is: .priceChangeAccepted),
        notice(28, .apple, "CONSUMPTION_REQUEST", is: .refundRequested),
        unrelated(28, .google, "PENDING_REFUND_REVIEW", is: .refundRequested),
        unrelated(
            28,
            .stripe,
            "charge.dispute.created",
            after: "checkout.session.completed",
            of: .nonConsumable,
            is: .refundRequested
        ),
        notice(37, .apple, "METADATA_UPDATE", is: .contractUpdated),
        notice(37, .google, "17", is: .contractUpdated),
        // The contract goes on under another id, and takes the old one's place.
        TableCase(37, .apple, "MIGRATION", after: [subscribed], is: .contractUpdated, .active, until: .day(30)),
        unrelated(38, .apple, "EXTERNAL_PURCHASE_TOKEN/CREATED", is: .externalToken),
        unrelated(38, .apple, "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", is: .externalToken),
        unrelated(38, .apple, "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", is: .externalToken),
        // The app's own server decides what a child may still see.
        unrelated(39, .apple, "RESCIND_CONSENT", is: .consentRescinded, ["refresh"]),
        unrelated(40, .apple, "TEST", is: .providerTest),
        unrelated(40, .google, "TEST", is: .providerTest),
        unrelated(40, .revenuecat, "TEST", is: .providerTest),
    ]

    private static func first(_ provider: Provider) -> Said {
        switch provider {
        case .apple: subscribed
        case .google: "4"
        case .stripe: created
        default: initial
        }
    }

    /// Of a contract, which stays as it is.
    private static func notice(_ row: Int, _ provider: Provider, _ said: Said, is kind: EventKind) -> TableCase {
        TableCase(row, provider, said, after: [first(provider)], is: kind, .active, until: .day(30))
    }

    /// Of no contract.
    private static func unrelated(
        _ row: Int,
        _ provider: Provider,
        _ said: Said,
        after before: Said? = nil,
        of sold: ProductKind = .subscription,
        is kind: EventKind,
        _ fragments: [String] = []
    ) -> TableCase {
        TableCase(
            row,
            provider,
            said,
            after: [before ?? first(provider)],
            of: sold,
            is: kind,
            nil,
            isOpen: true,
            until: .none,
            fragments
        )
    }
}

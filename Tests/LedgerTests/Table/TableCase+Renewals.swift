import Domain

/// Rows 6, 7 and 23: a subscription goes on.
extension TableCase {
    static let subscribed = Said("SUBSCRIBED/INITIAL_BUY")
    static let initial = Said("INITIAL_PURCHASE")

    static let renewalRows = [
        renewed(6, .apple, .late("DID_RENEW"), after: [subscribed]),
        renewed(6, .google, .late("2"), after: ["4"]),
        renewed(6, .stripe, .late("invoice.paid/subscription_cycle"), after: [created]),
        renewed(6, .stripe, .late("\(updated)/renewed"), after: [created]),
        renewed(6, .revenuecat, .late("RENEWAL"), after: [initial]),
        renewed(7, .apple, "DID_RENEW/BILLING_RECOVERY", after: [subscribed, .late("DID_FAIL_TO_RENEW/GRACE_PERIOD")]),
        recovered(.apple, "DID_RENEW/BILLING_RECOVERY", after: [subscribed, .late("DID_FAIL_TO_RENEW")]),
        renewed(7, .google, "1", after: ["4", .late("6")], until: .day(67, and: .seconds(30))),
        recovered(.google, "1", after: ["4", .late("5")]),
        // Stripe counts on from the day on which the payment was due.
        renewed(7, .stripe, "\(updated)/recovered", after: [created, .late("\(updated)/past_due")], until: .day(60)),
        recovered(.stripe, "\(updated)/recovered", after: [created, .late("\(updated)/unpaid")], until: .day(60)),
        renewed(7, .revenuecat, "RENEWAL", after: [initial, .late("BILLING_ISSUE/GRACE")]),
        recovered(.revenuecat, "RENEWAL", after: [initial, .late("BILLING_ISSUE")]),
        extended(.apple, "RENEWAL_EXTENDED", after: subscribed),
        extended(.google, "9", after: "4"),
        extended(.stripe, "\(updated)/trial_end", after: created, until: .day(37)),
        extended(.revenuecat, "SUBSCRIPTION_EXTENDED", after: initial),
    ]

    /// Access was on all the time.
    private static func renewed(
        _ row: Int,
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        until end: End = .inDays(30)
    ) -> TableCase {
        let kind: EventKind = row == 6 ? .subscriptionRenewed : .subscriptionRecovered
        return TableCase(row, provider, said, after: before, is: kind, .active, until: end, .manage)
    }

    /// Access was off.
    private static func recovered(
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        until end: End = .inDays(30)
    ) -> TableCase {
        TableCase(7, provider, said, after: before, is: .subscriptionRecovered, .active, until: end, .granted)
    }

    private static func extended(
        _ provider: Provider,
        _ said: Said,
        after first: Said,
        until end: End = .day(60)
    ) -> TableCase {
        TableCase(23, provider, said, after: [first], is: .subscriptionExtended, .active, until: end, .manage)
    }
}

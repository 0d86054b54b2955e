import Domain

/// Rows 6, 7 and 23: a subscription goes on.
extension TableCase {
    static let subscribed = StoreStatement("SUBSCRIBED/INITIAL_BUY")
    static let initial = StoreStatement("INITIAL_PURCHASE")

    static let renewalRows = [
        renewed(6, at: .apple, says: .late("DID_RENEW"), after: [subscribed]),
        renewed(6, at: .google, says: .late("2"), after: ["4"]),
        renewed(6, at: .stripe, says: .late("invoice.paid/subscription_cycle"), after: [created]),
        renewed(6, at: .stripe, says: .late("\(updated)/renewed"), after: [created]),
        renewed(6, at: .revenuecat, says: .late("RENEWAL"), after: [initial]),
        renewed(
            7,
            at: .apple,
            says: "DID_RENEW/BILLING_RECOVERY",
            after: [subscribed, .late("DID_FAIL_TO_RENEW/GRACE_PERIOD")]
        ),
        recovered(.apple, says: "DID_RENEW/BILLING_RECOVERY", after: [subscribed, .late("DID_FAIL_TO_RENEW")]),
        renewed(7, at: .google, says: "1", after: ["4", .late("6")], until: .day(67, and: .seconds(30))),
        recovered(.google, says: "1", after: ["4", .late("5")]),
        // Nobody told that the payment had failed.
        renewed(7, at: .google, says: .late("1"), after: ["4"]),
        renewed(
            7,
            at: .stripe,
            says: StoreStatement(
                "\(updated)/renewed",
                edits: ["data.previous_attributes.status": "\"past_due\""]
            ),
            after: [created],
            until: .day(60)
        ),
        // Stripe counts on from the day on which the payment was due.
        renewed(
            7,
            at: .stripe,
            says: "\(updated)/recovered",
            after: [created, .late("\(updated)/past_due")],
            until: .day(60)
        ),
        recovered(
            .stripe,
            says: "\(updated)/recovered",
            after: [created, .late("\(updated)/unpaid")],
            until: .day(60)
        ),
        renewed(7, at: .revenuecat, says: "RENEWAL", after: [initial, .late("BILLING_ISSUE/GRACE")]),
        recovered(.revenuecat, says: "RENEWAL", after: [initial, .late("BILLING_ISSUE")]),
        extended(.apple, says: "RENEWAL_EXTENDED", after: subscribed),
        extended(.google, says: "9", after: "4"),
        extended(.stripe, says: "\(updated)/trial_end", after: created, until: .day(37)),
        extended(.revenuecat, says: "SUBSCRIPTION_EXTENDED", after: initial),
    ]

    /// Access was on all the time.
    private static func renewed(
        _ row: Int,
        at provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        until end: End = .inDays(30)
    ) -> TableCase {
        let kind: EventKind = row == 6 ? .subscriptionRenewed : .subscriptionRecovered
        return TableCase(
            row,
            at: provider,
            says: statement,
            after: before,
            is: kind,
            state: .active,
            until: end,
            shows: .manage
        )
    }

    /// Access was off.
    private static func recovered(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        until end: End = .inDays(30)
    ) -> TableCase {
        TableCase(
            7,
            at: provider,
            says: statement,
            after: before,
            is: .subscriptionRecovered,
            state: .active,
            until: end,
            shows: .granted
        )
    }

    private static func extended(
        _ provider: Provider,
        says statement: StoreStatement,
        after first: StoreStatement,
        until end: End = .day(60)
    ) -> TableCase {
        TableCase(
            23,
            at: provider,
            says: statement,
            after: [first],
            is: .subscriptionExtended,
            state: .active,
            until: end,
            shows: .manage
        )
    }
}

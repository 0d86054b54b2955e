import Domain
import Simulator

/// Rows 8, 9, 10 and 13: another product now, another one later, the same after all, and another price.
extension TableCase {
    private static let ofGoogle = ["event.store": "\"PLAY_STORE\"", "event.original_app_user_id": "\"42\""]
    private static let annual = SimulatedProduct.annual.id

    static let planRows = [
        changed(.apple, says: "DID_CHANGE_RENEWAL_PREF/UPGRADE", after: [subscribed]),
        changed(.apple, says: "OFFER_REDEEMED/UPGRADE", after: [subscribed]),
        changed(.google, says: "4/upgrade", after: ["4"]),
        changed(.stripe, says: "\(updated)/price", after: [created]),
        changed(
            .stripe,
            says: "customer.subscription.pending_update_applied",
            after: [created, "\(updated)/pending_update"]
        ),
        changed(.revenuecat, says: "RENEWAL", after: [initial, "PRODUCT_CHANGE"], until: .day(395)),
        // Of Google, where another product is another purchase.
        changed(
            .revenuecat,
            says: StoreStatement("INITIAL_PURCHASE", edits: ofGoogle) { asked in
                asked.facts = SimulatedSubscription(product: annual, lineage: "2000000000000002")
            },
            after: [
                StoreStatement("INITIAL_PURCHASE", edits: ofGoogle), StoreStatement("PRODUCT_CHANGE", edits: ofGoogle),
            ]
        ),
        scheduled(.apple, says: "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", after: subscribed),
        scheduled(.apple, says: "OFFER_REDEEMED/DOWNGRADE", after: subscribed),
        scheduled(.google, says: "4/downgrade", after: "4"),
        scheduled(.stripe, says: "\(updated)/pending_update", after: created),
        scheduled(.stripe, says: "subscription_schedule.updated", after: created, asksStore: true),
        // Only Stripe's API says what it changes to.
        scheduled(.stripe, says: "subscription_schedule.updated", after: created, shows: []),
        scheduled(.stripe, says: "\(updated)/schedule", after: created, shows: []),
        scheduled(.revenuecat, says: "PRODUCT_CHANGE", after: initial),
        kept(.apple, says: "DID_CHANGE_RENEWAL_PREF", after: [subscribed, "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"]),
        kept(
            .stripe,
            says: "customer.subscription.pending_update_expired",
            after: [created, "\(updated)/pending_update"]
        ),
        kept(.stripe, says: "subscription_schedule.released", after: [created], shows: []),
        offered(.apple, says: "OFFER_REDEEMED", after: subscribed),
        offered(.google, says: "17/offer", after: "4"),
        offered(.stripe, says: "\(updated)/discount", after: created),
    ]

    private static func changed(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        until end: End = .inDays(365)
    ) -> TableCase {
        TableCase(
            8,
            at: provider,
            says: statement,
            after: before,
            is: .planChanged,
            state: .active,
            product: annual,
            until: end,
            shows: .granted
        )
    }

    private static func scheduled(
        _ provider: Provider,
        says statement: StoreStatement,
        after first: StoreStatement,
        asksStore: Bool = false,
        shows fragments: [String] = .ending
    ) -> TableCase {
        TableCase(
            9,
            at: provider,
            says: statement,
            after: [first],
            asksStore: asksStore,
            is: .planChangeScheduled,
            state: .active,
            until: .day(30),
            shows: fragments
        )
    }

    private static func kept(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        shows fragments: [String] = .manage
    ) -> TableCase {
        TableCase(
            10,
            at: provider,
            says: statement,
            after: before,
            is: .planChangeCancelled,
            state: .active,
            until: .day(30),
            shows: fragments
        )
    }

    /// Nothing that a page shows is another.
    private static func offered(_ provider: Provider, says statement: StoreStatement, after first: StoreStatement)
        -> TableCase
    {
        TableCase(13, at: provider, says: statement, after: [first], is: .offerApplied, state: .active, until: .day(30))
    }
}

import Domain
import Simulator

/// Rows 8, 9, 10 and 13: another product now, another one later, the same after all, and another price.
extension TableCase {
    private static let ofGoogle = ["event.store": "\"PLAY_STORE\"", "event.original_app_user_id": "\"42\""]
    private static let annual = SimulatedProduct.annual.id

    static let planRows = [
        changed(.apple, "DID_CHANGE_RENEWAL_PREF/UPGRADE", after: [subscribed]),
        changed(.apple, "OFFER_REDEEMED/UPGRADE", after: [subscribed]),
        changed(.google, "4/upgrade", after: ["4"]),
        changed(.stripe, "\(updated)/price", after: [created]),
        changed(.revenuecat, "RENEWAL", after: [initial, "PRODUCT_CHANGE"], until: .day(395)),
        // Of Google, where another product is another purchase.
        changed(
            .revenuecat,
            Said("INITIAL_PURCHASE", bends: ofGoogle) { asked in
                asked.facts = SimulatedSubscription(product: annual, lineage: "2000000000000002")
            },
            after: [Said("INITIAL_PURCHASE", bends: ofGoogle), Said("PRODUCT_CHANGE", bends: ofGoogle)]
        ),
        scheduled(.apple, "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", after: subscribed),
        scheduled(.apple, "OFFER_REDEEMED/DOWNGRADE", after: subscribed),
        scheduled(.google, "4/downgrade", after: "4"),
        scheduled(.stripe, "\(updated)/pending_update", after: created),
        scheduled(.stripe, "subscription_schedule.updated", after: created, asksStore: true),
        scheduled(.revenuecat, "PRODUCT_CHANGE", after: initial),
        kept(.apple, "DID_CHANGE_RENEWAL_PREF", after: [subscribed, "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"]),
        kept(
            .stripe,
            "customer.subscription.pending_update_expired",
            after: [created, "\(updated)/pending_update"]
        ),
        offered(.apple, "OFFER_REDEEMED", after: subscribed),
        offered(.google, "17/offer", after: "4"),
        offered(.stripe, "\(updated)/discount", after: created),
    ]

    private static func changed(
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        until end: End = .inDays(365)
    ) -> TableCase {
        TableCase(8, provider, said, after: before, is: .planChanged, .active, until: end, .granted)
    }

    private static func scheduled(
        _ provider: Provider,
        _ said: Said,
        after first: Said,
        asksStore: Bool = false
    ) -> TableCase {
        TableCase(
            9,
            provider,
            said,
            after: [first],
            asksStore: asksStore,
            is: .planChangeScheduled,
            .active,
            until: .day(30),
            .ending
        )
    }

    private static func kept(_ provider: Provider, _ said: Said, after before: [Said]) -> TableCase {
        TableCase(10, provider, said, after: before, is: .planChangeCancelled, .active, until: .day(30), .manage)
    }

    /// Nothing that a page shows is another.
    private static func offered(_ provider: Provider, _ said: Said, after first: Said) -> TableCase {
        TableCase(13, provider, said, after: [first], is: .offerApplied, .active, until: .day(30))
    }
}

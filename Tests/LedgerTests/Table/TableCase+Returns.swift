import Domain
import Simulator

/// Row 5: a user whose subscription has ended, or was going to end, subscribes again.
extension TableCase {
    static let returnRows = [
        returned(
            .apple,
            says: StoreStatement("SUBSCRIBED/RESUBSCRIBE", after: TableScenario.month),
            after: ["SUBSCRIBED/INITIAL_BUY", .late("EXPIRED/VOLUNTARY")]
        ),
        returned(
            .google,
            says: StoreStatement("4/resubscribe", after: TableScenario.month),
            after: ["4", "3", .late("13")]
        ),
        returned(
            .google,
            says: StoreStatement(
                "4/resubscribe",
                after: TableScenario.month,
                edits: ["purchase.lineItems.0.productId": "\"paycast.pro.annual\""]
            ),
            after: ["4", "3", .late("13")],
            product: "paycast.pro.annual"
        ),
        // While the old subscription runs, its token is linked, as in a change of plan.
        returned(.google, says: "4/again", after: ["4", "3"]),
        returned(
            .stripe,
            says: StoreStatement("customer.subscription.created", after: TableScenario.month) { asked in
                asked.facts = SimulatedSubscription(product: asked.facts.product, lineage: "sub_2")
            },
            after: [created, .late("customer.subscription.deleted")]
        ),
        returned(
            .revenuecat,
            says: StoreStatement("INITIAL_PURCHASE", after: TableScenario.month),
            after: ["INITIAL_PURCHASE", .late("EXPIRATION/UNSUBSCRIBE")]
        ),
        returned(
            .revenuecat,
            says: StoreStatement("RENEWAL", after: TableScenario.month),
            after: ["INITIAL_PURCHASE", .late("EXPIRATION/UNSUBSCRIBE")]
        ),
        // The first purchase was made before Paycast was told of any.
        returned(
            .revenuecat,
            says: StoreStatement("INITIAL_PURCHASE", edits: ["event.transaction_id": "\"2000000000000009\""]),
            after: []
        ),
    ]

    private static func returned(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        product: String? = nil
    ) -> TableCase {
        TableCase(
            5,
            at: provider,
            says: statement,
            after: before,
            is: .subscriptionResubscribed,
            state: .active,
            product: product,
            until: .inDays(30),
            shows: .granted
        )
    }
}

import Domain
import Simulator

/// Row 5: somebody whose subscription ended, or was going to, subscribes again.
extension TableCase {
    static let returnRows = [
        TableCase(
            5,
            .apple,
            Said("SUBSCRIBED/RESUBSCRIBE", after: TableScene.month),
            after: ["SUBSCRIBED/INITIAL_BUY", .late("EXPIRED/VOLUNTARY")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        TableCase(
            5,
            .google,
            Said("4/resubscribe", after: TableScene.month),
            after: ["4", "3", .late("13")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        // Before the old one has ended its token is linked, as that of a change of plan is.
        TableCase(
            5,
            .google,
            Said(
                "4/resubscribe",
                bends: [
                    "purchase.outOfAppPurchaseContext": "null",
                    "purchase.linkedPurchaseToken": "\"token.\(TableScene.lineage)\"",
                ]
            ),
            after: ["4", "3"],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        TableCase(
            5,
            .stripe,
            Said("customer.subscription.created", after: TableScene.month) { asked in
                asked.facts = SimulatedSubscription(product: asked.facts.product, lineage: "sub_2")
            },
            after: [created, .late("customer.subscription.deleted")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        TableCase(
            5,
            .revenuecat,
            Said("INITIAL_PURCHASE", after: TableScene.month),
            after: ["INITIAL_PURCHASE", .late("EXPIRATION/UNSUBSCRIBE")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        TableCase(
            5,
            .revenuecat,
            Said("RENEWAL", after: TableScene.month),
            after: ["INITIAL_PURCHASE", .late("EXPIRATION/UNSUBSCRIBE")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
    ]
}

import Domain
import Simulator

/// Row 35: the contract is another user's from now on. Both pages are told in one commit.
extension TableCase {
    private static let movedToSister = [
        "paywall=moved", "subscription_status=moved", "sister paywall=success", "sister subscription_status=manage",
    ]

    static let transferRows = [
        moved(.apple, Said("TRANSACTION", claimedBy: TableScene.sister.text), after: [subscribed], until: .day(30)),
        moved(.google, Said("2") { $0.token = TableScene.sistersToken }, after: ["4"], until: .day(60)),
        TableCase(
            35,
            .google,
            "2",
            after: [Said("4") { $0.token = TableScene.sistersToken }],
            is: .contractTransferred,
            .active,
            until: .day(60),
            ["sister paywall=moved", "sister subscription_status=moved"] + .granted
        ),
        // Neither subscription names an order: the customers do, by what else they bought.
        moved(
            .stripe,
            Said(
                "customer.subscription.updated/active",
                bends: [
                    "data.previous_attributes": "{\"customer\":\"cus_buyer\"}",
                    "data.object.customer": "\"cus_sister\"",
                ]
            ) { $0.token = nil },
            after: [
                coins("cus_buyer", "pi_2", TableScene.token), coins("cus_sister", "pi_3", TableScene.sistersToken),
                Said("customer.subscription.created", bends: ["data.object.customer": "\"cus_buyer\""]) {
                    $0.token = nil
                },
            ],
            until: .day(30, and: .seconds(120))
        ),
        moved(.revenuecat, "TRANSFER/sister", after: [initial], until: .day(30)),
    ]

    private static func coins(_ customer: String, _ payment: String, _ token: OrderToken) -> Said {
        Said("checkout.session.completed", bends: ["data.object.customer": "\"\(customer)\""]) { asked in
            asked.facts = SimulatedSubscription(product: "coins", kind: .consumable, lineage: payment)
            asked.token = token
        }
    }

    private static func moved(_ provider: Provider, _ said: Said, after before: [Said], until end: End) -> TableCase {
        TableCase(
            35,
            provider,
            said,
            after: before,
            is: .contractTransferred,
            .active,
            isOpen: false,
            until: end,
            movedToSister
        )
    }
}

import Domain
import Simulator

/// Row 35: the contract moves to another user. Both users' pages are told in one commit.
extension TableCase {
    private static let movedToSister = [
        "paywall=moved", "subscription_status=moved", "sister paywall=success", "sister subscription_status=manage",
    ]

    static let transferRows = [
        moved(
            .apple,
            says: StoreStatement("TRANSACTION", claimedBy: TableScenario.sister.text),
            after: [subscribed],
            until: .day(30)
        ),
        moved(
            .google,
            says: StoreStatement("2") { $0.token = TableScenario.sistersToken },
            after: ["4"],
            until: .day(60)
        ),
        TableCase(
            35,
            at: .google,
            says: "2",
            after: [StoreStatement("4") { $0.token = TableScenario.sistersToken }],
            is: .contractTransferred,
            state: .active,
            until: .day(60),
            shows: ["sister paywall=moved", "sister subscription_status=moved"] + .granted
        ),
        // Neither subscription names an order; the customers are known by their other purchases.
        moved(
            .stripe,
            says: StoreStatement(
                "customer.subscription.updated/active",
                edits: [
                    "data.previous_attributes": "{\"customer\":\"cus_buyer\"}",
                    "data.object.customer": "\"cus_sister\"",
                ]
            ) { $0.token = nil },
            after: [
                coins("cus_buyer", payment: "pi_2", token: TableScenario.token),
                coins("cus_sister", payment: "pi_3", token: TableScenario.sistersToken),
                StoreStatement("customer.subscription.created", edits: ["data.object.customer": "\"cus_buyer\""]) {
                    $0.token = nil
                },
            ],
            until: .day(30, and: .seconds(120))
        ),
        moved(.revenuecat, says: "TRANSFER/sister", after: [initial], until: .day(30)),
        // Bought before the app named the buyer.
        TableCase(
            35,
            at: .revenuecat,
            says: "SUBSCRIBER_ALIAS",
            after: [
                StoreStatement(
                    "INITIAL_PURCHASE",
                    edits: ["event.app_user_id": "\"$RCAnonymousID:1\"", "event.subscriber_attributes": "null"]
                )
            ],
            is: .orderClaimed,
            state: .active,
            until: .day(30),
            shows: .granted
        ),
    ]

    private static func coins(_ customer: String, payment: String, token: OrderToken) -> StoreStatement {
        StoreStatement("checkout.session.completed", edits: ["data.object.customer": "\"\(customer)\""]) { asked in
            asked.facts = SimulatedSubscription(product: "coins", kind: .consumable, lineage: payment)
            asked.token = token
        }
    }

    private static func moved(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        until end: End
    ) -> TableCase {
        TableCase(
            35,
            at: provider,
            says: statement,
            after: before,
            is: .contractTransferred,
            state: .active,
            isOpen: false,
            until: end,
            shows: movedToSister
        )
    }
}

import Domain
import Simulator

/// Rows 33, 34 and 36: what others pay for, and what a store grants while it cannot be asked.
extension TableCase {
    /// Apple repeats no token to a member of the family: something that the member bought tells who it is.
    private static let own = Said(
        "ONE_TIME_CHARGE",
        bends: ["transaction.appTransactionId": "\"2000000000000099\""]
    ) { asked in
        asked.facts = SimulatedSubscription(product: "coins", kind: .consumable, lineage: "2000000000000003")
    }

    private static func shared(_ words: String) -> Said {
        Said(
            words,
            bends: [
                "transaction.inAppOwnershipType": "\"FAMILY_SHARED\"",
                "transaction.appTransactionId": "\"2000000000000099\"",
            ]
        ) { $0.token = nil }
    }

    static let familyRows = [
        TableCase(
            33,
            .apple,
            shared("REVOKE"),
            after: [own, shared("SUBSCRIBED/INITIAL_BUY")],
            is: .familyRevoked,
            .revoked,
            until: .over,
            .both("revoked")
        ),
        TableCase(
            33,
            .apple,
            shared("REVOKE"),
            after: [own, shared("ONE_TIME_CHARGE")],
            of: .nonConsumable,
            is: .familyRevoked,
            .revoked,
            until: .over,
            .both("revoked")
        ),
        TableCase(
            33,
            .revenuecat,
            "CANCELLATION/FAMILY",
            after: ["INITIAL_PURCHASE/FAMILY"],
            is: .familyRevoked,
            .revoked,
            until: .over,
            .both("revoked")
        ),
        TableCase(
            34,
            .apple,
            shared("SUBSCRIBED/INITIAL_BUY"),
            after: [own],
            is: .familyGranted,
            .active,
            until: .inDays(30),
            .granted
        ),
        TableCase(
            34,
            .apple,
            shared("ONE_TIME_CHARGE"),
            after: [own],
            of: .nonConsumable,
            is: .familyGranted,
            .owned,
            until: .none,
            .granted
        ),
        TableCase(
            34,
            .revenuecat,
            "INITIAL_PURCHASE/FAMILY",
            is: .familyGranted,
            .active,
            until: .day(30),
            .granted
        ),
        TableCase(
            36,
            .revenuecat,
            "TEMPORARY_ENTITLEMENT_GRANT",
            is: .accessProvisional,
            .active,
            until: .day(1),
            .granted
        ),
        // It is confirmed by what it stood for.
        TableCase(
            36,
            .revenuecat,
            Said("INITIAL_PURCHASE", bends: ["event.transaction_id": "\"\(TableScene.lineage)\""]),
            after: ["TEMPORARY_ENTITLEMENT_GRANT"],
            is: .subscriptionStarted,
            .active,
            until: .inDays(30),
            .manage
        ),
    ]
}

import Domain
import Simulator

/// Rows 33, 34 and 36: purchases that a family member pays for, and access that a store grants during an outage.
extension TableCase {
    /// Apple gives a family member no token; something that the member bought tells who it is.
    private static let own = StoreStatement(
        "ONE_TIME_CHARGE",
        edits: ["transaction.appTransactionId": "\"2000000000000099\""]
    ) { asked in
        asked.facts = SimulatedSubscription(product: "coins", kind: .consumable, lineage: "2000000000000003")
    }

    private static func shared(_ words: String) -> StoreStatement {
        StoreStatement(
            words,
            edits: [
                "transaction.inAppOwnershipType": "\"FAMILY_SHARED\"",
                "transaction.appTransactionId": "\"2000000000000099\"",
            ]
        ) { $0.token = nil }
    }

    static let familyRows = [
        TableCase(
            33,
            at: .apple,
            says: shared("REVOKE"),
            after: [own, shared("SUBSCRIBED/INITIAL_BUY")],
            is: .familyRevoked,
            state: .revoked,
            until: .over,
            shows: .both("revoked")
        ),
        TableCase(
            33,
            at: .apple,
            says: shared("REVOKE"),
            after: [own, shared("ONE_TIME_CHARGE")],
            of: .nonConsumable,
            is: .familyRevoked,
            state: .revoked,
            until: .over,
            shows: .both("revoked")
        ),
        TableCase(
            33,
            at: .revenuecat,
            says: "CANCELLATION/FAMILY",
            after: ["INITIAL_PURCHASE/FAMILY"],
            is: .familyRevoked,
            state: .revoked,
            until: .over,
            shows: .both("revoked")
        ),
        TableCase(
            34,
            at: .apple,
            says: shared("SUBSCRIBED/INITIAL_BUY"),
            after: [own],
            is: .familyGranted,
            state: .active,
            until: .inDays(30),
            shows: .granted
        ),
        TableCase(
            34,
            at: .apple,
            says: shared("ONE_TIME_CHARGE"),
            after: [own],
            of: .nonConsumable,
            is: .familyGranted,
            state: .owned,
            until: .none,
            shows: .granted
        ),
        TableCase(
            34,
            at: .revenuecat,
            says: "INITIAL_PURCHASE/FAMILY",
            is: .familyGranted,
            state: .active,
            until: .day(30),
            shows: .granted
        ),
        TableCase(
            36,
            at: .revenuecat,
            says: "TEMPORARY_ENTITLEMENT_GRANT",
            is: .accessProvisional,
            state: .active,
            until: .day(1),
            shows: .granted
        ),
        // The purchase that it stood for confirms it.
        TableCase(
            36,
            at: .revenuecat,
            says: StoreStatement("INITIAL_PURCHASE", edits: ["event.transaction_id": "\"\(TableScenario.lineage)\""]),
            after: ["TEMPORARY_ENTITLEMENT_GRANT"],
            is: .subscriptionStarted,
            state: .active,
            until: .inDays(30),
            shows: .manage
        ),
    ]
}

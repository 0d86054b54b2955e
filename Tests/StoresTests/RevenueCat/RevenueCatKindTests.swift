import Testing

@testable import Domain

/// RevenueCat states neither what kind of product was bought nor always when it ends: the kind follows from the end, from
/// what the event opens, and from the catalog.
@Suite struct RevenueCatKindTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var event: RevenueCatSpecimen
        var kind: ProductKind
        /// Nil: it says nothing of a contract's state.
        var state: ContractState?
    }

    private static let catalog = Catalog([
        "coins": .init(kind: .consumable), "season": .init(kind: .nonRenewing), "keep": .init(kind: .nonConsumable),
        "listed": .init(kind: .subscription), "opens": .init(entitlements: [.standard]),
    ])

    /// Of a product that the catalog does not name, unless another one is given.
    private static func once(_ product: String = "pack", opens: JSON? = ["pro"]) -> RevenueCatSpecimen {
        RevenueCatSpecimen("NON_RENEWING_PURCHASE", changes: ["product_id": .text(product)]).endless
            .with("entitlement_ids", to: opens)
    }

    private static let refund = RevenueCatSpecimen("CANCELLATION", changes: ["cancel_reason": "CUSTOMER_SUPPORT"])
        .endless
    private static let promotion = RevenueCatSpecimen(
        "NON_RENEWING_PURCHASE",
        changes: ["period_type": "PROMOTIONAL", "store": "PROMOTIONAL"]
    )

    @Test(arguments: [
        Case(testDescription: "it opens something", event: once(), kind: .nonConsumable, state: .owned),
        Case(
            testDescription: "it opens nothing",
            event: once(opens: .raw("null")),
            kind: .consumable,
            state: .delivered
        ),
        Case(testDescription: "an empty list", event: once(opens: []), kind: .consumable, state: .delivered),
        Case(testDescription: "not what it opens", event: once(opens: nil), kind: .nonConsumable, state: .owned),
        Case(
            testDescription: "it stays by the catalog",
            event: once("keep", opens: []),
            kind: .nonConsumable,
            state: .owned
        ),
        Case(
            testDescription: "it opens by the catalog",
            event: once("opens", opens: []),
            kind: .nonConsumable,
            state: .owned
        ),
        Case(testDescription: "coins by the catalog", event: once("coins"), kind: .consumable, state: .delivered),
        Case(testDescription: "a season by the catalog", event: once("season"), kind: .nonRenewing, state: .active),
        Case(
            testDescription: "bought as a subscription, once by the catalog",
            event: bought.endless.with("product_id", to: "keep"),
            kind: .nonConsumable,
            state: .owned
        ),
        Case(
            testDescription: "granted by RevenueCat",
            event: promotion.with("app_id", to: nil),
            kind: .nonRenewing,
            state: .active
        ),
        Case(testDescription: "a refund without an end", event: refund, kind: .nonConsumable, state: .revoked),
        Case(
            testDescription: "a refund of what opens nothing",
            event: refund.with("entitlement_ids", to: []),
            kind: .consumable,
            state: .revoked
        ),
        // Access without an end is never guessed.
        Case(testDescription: "a subscription without an end", event: bought.endless, kind: .subscription),
        Case(
            testDescription: "a subscription by the catalog, without an end",
            event: RevenueCatSpecimen("RENEWAL", changes: ["product_id": "listed"]).endless,
            kind: .subscription
        ),
        Case(
            testDescription: "a cancellation without an end",
            event: RevenueCatSpecimen("CANCELLATION", changes: ["cancel_reason": "UNSUBSCRIBE"]).endless,
            kind: .subscription
        ),
    ]) func kindFollowsFromWhatIsStated(_ given: Case) throws {
        let event = try given.event.verify(Self.catalog)
        var timeline = ContractTimeline()
        #expect(event.observation?.kind == given.kind)
        #expect(timeline.take(event, at: given.event.happenedAt)?.state == given.state)
    }
}

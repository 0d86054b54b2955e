import Testing

@testable import Domain

/// The RevenueCat column of the table that maps every store's events to one model, row by row.
@Suite struct RevenueCatMappingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var past: [RevenueCatSpecimen]
        var event: RevenueCatSpecimen
        var kind: EventKind
        /// Nil: it says nothing of a contract's state.
        var state: ContractState?
        var fragments: Set<String>

        init(
            _ name: String,
            event: RevenueCatSpecimen,
            after past: [RevenueCatSpecimen] = [],
            is kind: EventKind,
            state: ContractState?,
            fragments: Set<String> = []
        ) {
            testDescription = name
            self.past = past
            self.event = event
            self.kind = kind
            self.state = state
            self.fragments = fragments
        }
    }

    static let catalog = Catalog([
        "coins": .init(kind: .consumable), "season": .init(kind: .nonRenewing), "keep": .init(kind: .nonConsumable),
        "listed": .init(kind: .subscription), "opens": .init(entitlements: [.standard]),
    ])

    @Test(arguments: purchases + changes + endings + others)
    func means(_ row: Row) throws {
        var timeline = ContractTimeline()
        for specimen in row.past { timeline.take(try specimen.verify(Self.catalog), at: specimen.happenedAt) }
        let event = try row.event.verify(Self.catalog)
        let step = timeline.take(event, at: row.event.happenedAt).step
        #expect(event.kind == row.kind)
        #expect(step.state == row.state)
        #expect(Set(step.fragments) == row.fragments)
    }
}

typealias Row = RevenueCatMappingTests.Row

let granted: Set<String> = ["paywall=success", "subscription_status=manage"]
let bought = RevenueCatSpecimen("INITIAL_PURCHASE", after: .zero)
let late = RevenueCatSpecimen.month + .seconds(60)
let day = Duration.seconds(86_400)

extension RevenueCatMappingTests {
    static let purchases = [
        Row("1 INITIAL_PURCHASE", event: bought, is: .subscriptionStarted, state: .active, fragments: granted),
        Row(
            "2 INITIAL_PURCHASE TRIAL",
            event: bought.with("period_type", to: "TRIAL"),
            is: .subscriptionStarted,
            state: .active,
            fragments: granted
        ),
        Row(
            "5 INITIAL_PURCHASE after an end",
            event: RevenueCatSpecimen("INITIAL_PURCHASE", period: 3),
            after: [bought, RevenueCatSpecimen("EXPIRATION", after: late)],
            is: .subscriptionResubscribed,
            state: .active,
            fragments: granted
        ),
        Row(
            "5 RENEWAL after an end",
            event: RevenueCatSpecimen("RENEWAL", period: 3),
            after: [bought, RevenueCatSpecimen("EXPIRATION", after: late)],
            is: .subscriptionRenewed,
            state: .active,
            fragments: granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE of something that stays",
            event: RevenueCatSpecimen("NON_RENEWING_PURCHASE").with("expiration_at_ms", to: .raw("null")),
            is: .purchaseCompleted,
            state: .owned,
            fragments: granted
        ),
        Row(
            "27 INITIAL_PURCHASE of what the catalog calls one-time",
            event: bought.endless.with("product_id", to: "keep"),
            is: .subscriptionStarted,
            state: .owned,
            fragments: granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE of a consumable",
            event: RevenueCatSpecimen(
                "NON_RENEWING_PURCHASE",
                changes: ["product_id": "coins", "expiration_at_ms": .raw("null")]
            ),
            is: .purchaseCompleted,
            state: .delivered,
            fragments: []
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that opens nothing",
            event: coins.with("entitlement_ids", to: .raw("null")),
            is: .purchaseCompleted,
            state: .delivered,
            fragments: []
        ),
        Row(
            "27 NON_RENEWING_PURCHASE with an empty list",
            event: coins.with("entitlement_ids", to: []),
            is: .purchaseCompleted,
            state: .delivered,
            fragments: []
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that does not say what it opens",
            event: coins.with("entitlement_ids", to: nil),
            is: .purchaseCompleted,
            state: .owned,
            fragments: granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that opens nothing, and stays by the catalog",
            event: coins.with("entitlement_ids", to: []).with("product_id", to: "keep"),
            is: .purchaseCompleted,
            state: .owned,
            fragments: []
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that opens nothing, and something by the catalog",
            event: coins.with("entitlement_ids", to: []).with("product_id", to: "opens"),
            is: .purchaseCompleted,
            state: .owned,
            fragments: []
        ),
        Row(
            "29 CANCELLATION/CUSTOMER_SUPPORT of what opens nothing",
            event: coins.with("type", to: "CANCELLATION").with("cancel_reason", to: "CUSTOMER_SUPPORT")
                .with("id", to: "refund").with("entitlement_ids", to: []),
            after: [coins.with("entitlement_ids", to: [])],
            is: .refundCompleted,
            state: .revoked,
            fragments: []
        ),
        Row(
            "27 NON_RENEWING_PURCHASE for a time",
            event: RevenueCatSpecimen(
                "NON_RENEWING_PURCHASE",
                changes: ["product_id": "season", "expiration_at_ms": .raw("null")]
            ),
            is: .purchaseCompleted,
            state: .active,
            fragments: granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that RevenueCat grants",
            event: RevenueCatSpecimen(
                "NON_RENEWING_PURCHASE",
                changes: ["period_type": "PROMOTIONAL", "store": "PROMOTIONAL"]
            )
            .with("app_id", to: nil),
            is: .purchaseCompleted,
            state: .active,
            fragments: granted
        ),
        Row(
            "34 is_family_share",
            event: bought.with("is_family_share", to: true),
            is: .familyGranted,
            state: .active,
            fragments: granted
        ),
        Row(
            "36 TEMPORARY_ENTITLEMENT_GRANT",
            event: RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT"),
            is: .accessProvisional,
            state: .active,
            fragments: granted
        ),
    ]

    /// The catalog does not name it.
    private static let coins = RevenueCatSpecimen("NON_RENEWING_PURCHASE").endless.with("product_id", to: "pack")

    static let changes = [
        Row(
            "6 RENEWAL",
            event: RevenueCatSpecimen("RENEWAL", period: 1),
            after: [bought],
            is: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7 RENEWAL in grace",
            event: RevenueCatSpecimen("RENEWAL", period: 1, after: day),
            after: [bought, inGrace],
            is: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7 RENEWAL after access was off",
            event: RevenueCatSpecimen("RENEWAL", period: 1, after: day),
            after: [bought, RevenueCatSpecimen("BILLING_ISSUE", after: late)],
            is: .subscriptionRenewed,
            state: .active,
            fragments: granted
        ),
        Row(
            "8 PRODUCT_CHANGE and its RENEWAL",
            event: RevenueCatSpecimen("RENEWAL", period: 1, changes: ["product_id": "pro.annual"]),
            after: [bought, RevenueCatSpecimen("PRODUCT_CHANGE", changes: ["new_product_id": "pro.annual"])],
            is: .subscriptionRenewed,
            state: .active,
            fragments: granted
        ),
        Row(
            "9 PRODUCT_CHANGE",
            event: RevenueCatSpecimen("PRODUCT_CHANGE", changes: ["new_product_id": "pro.basic"]),
            after: [bought],
            is: .planChangeScheduled,
            state: .active,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "11 CANCELLATION/UNSUBSCRIBE",
            event: cancelled,
            after: [bought],
            is: .autoRenewOff,
            state: .cancelled,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "12 UNCANCELLATION",
            event: RevenueCatSpecimen("UNCANCELLATION", after: day),
            after: [bought, cancelled],
            is: .autoRenewOn,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "14 BILLING_ISSUE with a grace date",
            event: inGrace,
            after: [bought],
            is: .graceStarted,
            state: .inGracePeriod,
            fragments: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "14 BILLING_ISSUE before the paid period ends",
            event: RevenueCatSpecimen("BILLING_ISSUE", after: RevenueCatSpecimen.month - .seconds(3600)),
            after: [bought],
            is: .graceStarted,
            state: .inGracePeriod,
            fragments: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "15 BILLING_ISSUE without a date",
            event: RevenueCatSpecimen("BILLING_ISSUE", after: late),
            after: [bought],
            is: .billingRetry,
            state: .inBillingRetry,
            fragments: ["paywall=fix_billing", "subscription_status=fix_billing"]
        ),
        Row(
            "20 SUBSCRIPTION_PAUSED",
            event: RevenueCatSpecimen("SUBSCRIPTION_PAUSED"),
            after: [bought],
            is: .pauseScheduled,
            state: .active,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "22 RENEWAL after a pause",
            event: RevenueCatSpecimen("RENEWAL", period: 2),
            after: [bought, paused],
            is: .subscriptionRenewed,
            state: .active,
            fragments: granted
        ),
        Row(
            "23 SUBSCRIPTION_EXTENDED",
            event: RevenueCatSpecimen("SUBSCRIPTION_EXTENDED").extended,
            after: [bought],
            is: .subscriptionExtended,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
    ]

    static let cancelled = RevenueCatSpecimen("CANCELLATION", changes: ["cancel_reason": "UNSUBSCRIBE"])
    static let paused = RevenueCatSpecimen(
        "EXPIRATION",
        after: late,
        changes: ["expiration_reason": "SUBSCRIPTION_PAUSED"]
    )
    static let inGrace = RevenueCatSpecimen("BILLING_ISSUE", after: late).inGrace
}

extension RevenueCatSpecimen {
    var inGrace: RevenueCatSpecimen {
        with("grace_period_expiration_at_ms", to: .number(String((happenedAt + .seconds(16 * 86_400)).milliseconds)))
    }

    var endless: RevenueCatSpecimen { with("expiration_at_ms", to: .raw("null")) }

    var extended: RevenueCatSpecimen {
        with("expiration_at_ms", to: .number(String((happenedAt + RevenueCatSpecimen.month * 2).milliseconds)))
    }
}

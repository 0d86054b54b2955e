import Domain
import Testing

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
            _ event: RevenueCatSpecimen,
            after past: [RevenueCatSpecimen] = [],
            is kind: EventKind,
            _ state: ContractState?,
            _ fragments: Set<String> = []
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
        "listed": .init(kind: .subscription),
    ])

    @Test(arguments: purchases + lives + endings + others)
    func means(_ row: Row) throws {
        var story = ContractStory()
        for specimen in row.past { story.take(try specimen.verify(Self.catalog), at: specimen.happenedAt) }
        let event = try row.event.verify(Self.catalog)
        let step = story.take(event, at: row.event.happenedAt).step
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
        Row("1 INITIAL_PURCHASE", bought, is: .subscriptionStarted, .active, granted),
        Row(
            "2 INITIAL_PURCHASE TRIAL",
            bought.with("period_type", "TRIAL"),
            is: .subscriptionStarted,
            .active,
            granted
        ),
        Row(
            "5 INITIAL_PURCHASE after an end",
            RevenueCatSpecimen("INITIAL_PURCHASE", period: 3),
            after: [bought, RevenueCatSpecimen("EXPIRATION", after: late)],
            is: .subscriptionResubscribed,
            .active,
            granted
        ),
        Row(
            "5 RENEWAL after an end",
            RevenueCatSpecimen("RENEWAL", period: 3),
            after: [bought, RevenueCatSpecimen("EXPIRATION", after: late)],
            is: .subscriptionRenewed,
            .active,
            granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE of something that stays",
            RevenueCatSpecimen("NON_RENEWING_PURCHASE").with("expiration_at_ms", .raw("null")),
            is: .purchaseCompleted,
            .owned,
            granted
        ),
        Row(
            "27 INITIAL_PURCHASE of what the catalogue calls one-time",
            bought.endless.with("product_id", "keep"),
            is: .subscriptionStarted,
            .owned,
            granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE of a consumable",
            RevenueCatSpecimen("NON_RENEWING_PURCHASE", ["product_id": "coins", "expiration_at_ms": .raw("null")]),
            is: .purchaseCompleted,
            .delivered,
            ["paywall=success"]
        ),
        Row(
            "27 NON_RENEWING_PURCHASE for a time",
            RevenueCatSpecimen("NON_RENEWING_PURCHASE", ["product_id": "season", "expiration_at_ms": .raw("null")]),
            is: .purchaseCompleted,
            .active,
            granted
        ),
        Row(
            "27 NON_RENEWING_PURCHASE that RevenueCat grants",
            RevenueCatSpecimen("NON_RENEWING_PURCHASE", ["period_type": "PROMOTIONAL", "store": "PROMOTIONAL"])
                .with("app_id", nil),
            is: .purchaseCompleted,
            .active,
            granted
        ),
        Row("34 is_family_share", bought.with("is_family_share", true), is: .familyGranted, .active, granted),
        Row(
            "36 TEMPORARY_ENTITLEMENT_GRANT",
            RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT"),
            is: .accessProvisional,
            .active,
            granted
        ),
    ]

    static let lives = [
        Row(
            "6 RENEWAL",
            RevenueCatSpecimen("RENEWAL", period: 1),
            after: [bought],
            is: .subscriptionRenewed,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7 RENEWAL in grace",
            RevenueCatSpecimen("RENEWAL", period: 1, after: day),
            after: [bought, inGrace],
            is: .subscriptionRenewed,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7 RENEWAL after access was off",
            RevenueCatSpecimen("RENEWAL", period: 1, after: day),
            after: [bought, RevenueCatSpecimen("BILLING_ISSUE", after: late)],
            is: .subscriptionRenewed,
            .active,
            granted
        ),
        Row(
            "8 PRODUCT_CHANGE and its RENEWAL",
            RevenueCatSpecimen("RENEWAL", period: 1, ["product_id": "pro.annual"]),
            after: [bought, RevenueCatSpecimen("PRODUCT_CHANGE", ["new_product_id": "pro.annual"])],
            is: .subscriptionRenewed,
            .active,
            granted
        ),
        Row(
            "9 PRODUCT_CHANGE",
            RevenueCatSpecimen("PRODUCT_CHANGE", ["new_product_id": "pro.basic"]),
            after: [bought],
            is: .planChangeScheduled,
            .active,
            ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "11 CANCELLATION/UNSUBSCRIBE",
            cancelled,
            after: [bought],
            is: .autoRenewOff,
            .cancelled,
            ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "12 UNCANCELLATION",
            RevenueCatSpecimen("UNCANCELLATION", after: day),
            after: [bought, cancelled],
            is: .autoRenewOn,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "14 BILLING_ISSUE with a grace date",
            inGrace,
            after: [bought],
            is: .graceStarted,
            .inGracePeriod,
            ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "14 BILLING_ISSUE before the paid period ends",
            RevenueCatSpecimen("BILLING_ISSUE", after: RevenueCatSpecimen.month - .seconds(3600)),
            after: [bought],
            is: .graceStarted,
            .inGracePeriod,
            ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "15 BILLING_ISSUE without a date",
            RevenueCatSpecimen("BILLING_ISSUE", after: late),
            after: [bought],
            is: .billingRetry,
            .inBillingRetry,
            ["paywall=fix_billing", "subscription_status=fix_billing"]
        ),
        Row(
            "20 SUBSCRIPTION_PAUSED",
            RevenueCatSpecimen("SUBSCRIPTION_PAUSED"),
            after: [bought],
            is: .pauseScheduled,
            .active,
            ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "22 RENEWAL after a pause",
            RevenueCatSpecimen("RENEWAL", period: 2),
            after: [bought, paused],
            is: .subscriptionRenewed,
            .active,
            granted
        ),
        Row(
            "23 SUBSCRIPTION_EXTENDED",
            RevenueCatSpecimen("SUBSCRIPTION_EXTENDED").extended,
            after: [bought],
            is: .subscriptionExtended,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
    ]

    static let cancelled = RevenueCatSpecimen("CANCELLATION", ["cancel_reason": "UNSUBSCRIBE"])
    static let paused = RevenueCatSpecimen("EXPIRATION", after: late, ["expiration_reason": "SUBSCRIPTION_PAUSED"])
    static let inGrace = RevenueCatSpecimen("BILLING_ISSUE", after: late).inGrace
}

extension RevenueCatSpecimen {
    var inGrace: RevenueCatSpecimen {
        with("grace_period_expiration_at_ms", .number(String((happenedAt + .seconds(16 * 86_400)).milliseconds)))
    }

    var endless: RevenueCatSpecimen { with("expiration_at_ms", .raw("null")) }

    var extended: RevenueCatSpecimen {
        with("expiration_at_ms", .number(String((happenedAt + RevenueCatSpecimen.month * 2).milliseconds)))
    }
}

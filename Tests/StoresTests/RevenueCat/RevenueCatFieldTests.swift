import Domain
import Stores
import Testing

/// What the members of RevenueCat's events decide, and which decide nothing.
@Suite struct RevenueCatFieldTests {
    private static let start = RevenueCatSpecimen.start
    private static let odd: [JSON] = [
        "9.99", 7, 1.5, true, [], ["x"], [:], ["value": "x"], .raw("1e400"), .raw("null"),
    ]

    /// A genuine event is not lost for them.
    @Test(arguments: [
        "price", "price_in_purchased_currency", "currency", "tax_percentage", "commission_percentage",
        "takehome_percentage",
        "country_code", "offer_code", "renewal_number", "is_trial_conversion", "presented_offering_id", "experiments",
        "subscriber_attributes", "metadata", "entitlement_ids", "entitlement_id", "auto_resume_at_ms", "new_product_id",
        "grace_period_expiration_at_ms", "cancel_reason", "expiration_reason", "aliases", "original_app_user_id",
        "discount_amount", "a_member_of_tomorrow",
    ]) func memberThatDecidesNothingMayHaveAnyType(_ name: String) throws {
        for value in Self.odd {
            let observation = try RevenueCatSpecimen("RENEWAL", period: 1).with(name, to: value).verify().observation
            #expect(observation?.snapshot?.state == .active && observation?.snapshot?.product == "pro.monthly")
            #expect(observation?.snapshot?.accessUntil == Self.start + RevenueCatSpecimen.month * 2)
            #expect(observation?.user == "42" && observation?.contract.lineage == "t0")
        }
    }

    struct Entitlements: Sendable {
        var said: JSON?
        var read: [String]?
    }

    @Test(arguments: [
        Entitlements(said: ["pro", "maps"], read: ["pro", "maps"]), Entitlements(said: [], read: []),
        Entitlements(said: .raw("null"), read: []), Entitlements(said: nil, read: nil),
        Entitlements(said: "pro", read: nil),
    ]) func entitlementsAreThoseThatItStates(_ given: Entitlements) throws {
        let observation = try RevenueCatSpecimen("RENEWAL").with("entitlement_ids", to: given.said).verify().observation
        #expect(observation?.entitlements == given.read)
    }

    /// What the newest event says of them counts, in whatever order they arrive.
    @Test func newestEntitlementsCount() throws {
        let events = try [
            RevenueCatSpecimen("INITIAL_PURCHASE").with("entitlement_ids", to: ["pro"]),
            RevenueCatSpecimen("RENEWAL", period: 1).with("entitlement_ids", to: ["pro", "maps"]),
            RevenueCatSpecimen("CANCELLATION", period: 1, after: .seconds(90)).with("entitlement_ids", to: nil),
        ].map { try $0.verify() }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            var timeline = ContractTimeline()
            for index in order { timeline.take(events[index], at: RevenueCatSpecimen.start) }
            #expect(timeline.contracts.values.first?.entitlements?.value == "maps,pro", "\(order)")
        }
    }

    /// Events that change no access state no contract, whatever stands where a purchase has its facts.
    @Test(arguments: [
        "TEST", "SUBSCRIBER_ALIAS", "EXPERIMENT_ENROLLMENT", "VIRTUAL_CURRENCY_TRANSACTION", "INVOICE_ISSUANCE",
        "PAYWALL_IMPRESSION",
    ]) func eventThatChangesNoAccessMayStateAnything(_ type: String) throws {
        let names = [
            "product_id", "new_product_id", "purchased_at_ms", "expiration_at_ms", "grace_period_expiration_at_ms",
            "transaction_id", "original_transaction_id", "app_id", "environment", "store",
        ]
        for name in names {
            for value in Self.odd {
                #expect(try RevenueCatSpecimen(type).with(name, to: value).verify().observation == nil)
            }
        }
    }

    @Test(arguments: ["product_id", "purchased_at_ms", "expiration_at_ms", "original_transaction_id", "app_id"])
    func memberThatDecidesIsRead(_ name: String) {
        #expect(throws: VerificationError.malformed(.invalidPayload)) {
            try RevenueCatSpecimen("RENEWAL").with(name, to: ["x"]).verify()
        }
    }

    @Test(
        arguments: [
            ("APP_STORE", "apple"), ("MAC_APP_STORE", "apple"), ("PLAY_STORE", "google"), ("STRIPE", "stripe"),
            ("AMAZON", "amazon"), ("RC_BILLING", "revenuecat"), ("PROMOTIONAL", "revenuecat"),
            ("OF_TOMORROW", "of_tomorrow"),
            (nil, nil),
        ] as [(String?, String?)]
    ) func theStoreThatSoldItIsNamed(_ word: String?, _ store: String?) throws {
        let specimen = RevenueCatSpecimen("RENEWAL").with("store", to: word.map { .text($0) })
        #expect(try specimen.verify().observation?.store == store)
    }

    /// Some stores number their transactions.
    @Test func transactionMayBeANumber() throws {
        let specimen = RevenueCatSpecimen("RENEWAL", changes: ["transaction_id": 71, "original_transaction_id": 70])
        let observation = try specimen.verify().observation
        #expect(observation?.contract.lineage == "70" && observation?.transaction?.id == "71")
    }

    @Test(arguments: ["INITIAL_PURCHASE", "RENEWAL"]) func prepaidPlanEnds(_ type: String) throws {
        let prepaid = try RevenueCatSpecimen(type, changes: ["store": "PLAY_STORE", "period_type": "PREPAID"]).verify()
        #expect(prepaid.observation?.snapshot?.state == .active && prepaid.observation?.snapshot?.autoRenew == false)
        #expect(try RevenueCatSpecimen(type).verify().observation?.snapshot?.autoRenew == true)
    }

    struct Cancellation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reason: String
        var price = -9.99
        var state: ContractState
    }

    @Test(arguments: [
        Cancellation(testDescription: "a refund", reason: "CUSTOMER_SUPPORT", state: .revoked),
        Cancellation(testDescription: "a refund of nothing", reason: "CUSTOMER_SUPPORT", price: 0, state: .revoked),
        Cancellation(testDescription: "no refund, whatever the price", reason: "UNSUBSCRIBE", state: .cancelled),
        Cancellation(testDescription: "the developer's", reason: "DEVELOPER_INITIATED", state: .cancelled),
        Cancellation(testDescription: "nobody knows why", reason: "UNKNOWN", state: .cancelled),
    ]) func reasonSaysWhatACancellationIs(_ given: Cancellation) throws {
        let price = JSON.number("\(given.price)")
        let changes: [String: JSON] = [
            "cancel_reason": .text(given.reason), "price": price, "price_in_purchased_currency": price,
        ]
        let event = try RevenueCatSpecimen("CANCELLATION", after: day, changes: changes).verify()
        #expect(event.observation?.snapshot?.state == given.state)
        #expect(event.kind == (given.state == .revoked ? .refundCompleted : .autoRenewOff))
    }

    /// The charge cost what it cost.
    @Test func refundedPriceIsThePrice() throws {
        let event = try RevenueCatSpecimen(
            "CANCELLATION",
            changes: ["cancel_reason": "CUSTOMER_SUPPORT", "price_in_purchased_currency": -9.99]
        ).with("expiration_at_ms", to: .raw("null")).verify()
        #expect(event.observation?.transaction?.price == 9990)
        #expect(event.observation?.transaction?.revokedAt != nil)
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// After the period's begin.
        var at: Duration
        var end: Duration
        var beside: [RevenueCatSpecimen] = []
        var state: ContractState
    }

    private static let graceDay20 = RevenueCatSpecimen("BILLING_ISSUE", after: day * 10).inGrace

    /// A CANCELLATION because of a failed charge, in every order with its purchase and what is said at the same time.
    @Test(arguments: [
        Failure(testDescription: "it ended now", at: day * 10, end: day * 10, state: .inBillingRetry),
        Failure(
            testDescription: "it ended a moment later",
            at: day * 10,
            end: day * 10 + .seconds(5),
            state: .inBillingRetry
        ),
        Failure(
            testDescription: "it ended within the first hour",
            at: .seconds(60),
            end: .seconds(60),
            state: .inBillingRetry
        ),
        Failure(testDescription: "it ends later", at: day * 10, end: RevenueCatSpecimen.month, state: .active),
        Failure(
            testDescription: "with a grace",
            at: day * 10,
            end: day * 10,
            beside: [graceDay20],
            state: .inGracePeriod
        ),
        Failure(
            testDescription: "with a grace whose event gives an earlier end",
            at: day * 10,
            end: day * 10,
            beside: [
                graceDay20.with(
                    "expiration_at_ms",
                    to: .number(String((start + day * 10 - .seconds(1800)).milliseconds))
                )
            ],
            state: .inGracePeriod
        ),
        Failure(
            testDescription: "with an end",
            at: day * 10,
            end: day * 10,
            beside: [
                RevenueCatSpecimen("EXPIRATION", after: day * 10).with(
                    "expiration_at_ms",
                    to: .number(String((start + day * 10).milliseconds))
                )
            ],
            state: .expired
        ),
        Failure(
            testDescription: "recovered in the next period",
            at: RevenueCatSpecimen.month + .seconds(60),
            end: RevenueCatSpecimen.month,
            beside: [RevenueCatSpecimen("RENEWAL", period: 1)],
            state: .active
        ),
    ]) func failedChargeEndsWhatItSaysHasEnded(_ given: Failure) throws {
        let end = JSON.number(String((Self.start + given.end).milliseconds))
        let failed = RevenueCatSpecimen(
            "CANCELLATION",
            after: given.at,
            changes: ["cancel_reason": "BILLING_ERROR", "expiration_at_ms": end]
        )
        let events = try ([bought, failed] + given.beside).map { try $0.verify() }
        let now = failed.happenedAt + .seconds(3600)
        for order in permutations(events) {
            var timeline = ContractTimeline()
            for event in order { timeline.take(event, at: now) }
            #expect(timeline.status(at: now)?.state == given.state)
        }
    }
}

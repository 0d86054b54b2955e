import Testing

@testable import Domain

/// Which events need not say where a purchase was made, and what they do all the same.
@Suite struct RevenueCatEnvironmentTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var testDescription: String { type }
        var type: String
        var fields: [String: JSON]
        var environment = StoreEnvironment.production
    }

    /// With the members of https://www.revenuecat.com/docs/integrations/webhooks/sample-events.
    @Test(arguments: [
        Sample(
            type: "EXPERIMENT_ENROLLMENT",
            fields: ["experiment_id": "prexp1", "experiment_variant": "b", "experiment_enrolled_at_ms": 1]
        ),
        Sample(
            type: "VIRTUAL_CURRENCY_TRANSACTION",
            fields: [
                "adjustments": [["amount": 100, "currency": ["code": "CRD", "name": "Credits"]]],
                "product_id": "credits", "purchase_environment": "SANDBOX", "source": "in_app_purchase",
                "store": "APP_STORE", "transaction_id": "1", "virtual_currency_transaction_id": "vatx1",
            ],
            environment: .sandbox
        ),
        Sample(
            type: "VIRTUAL_CURRENCY_TRANSACTION",
            fields: ["source": "ad_reward", "product_id": .raw("null"), "store": .raw("null")]
        ),
        Sample(
            type: "INVOICE_ISSUANCE",
            fields: ["product_id": "monthly", "period_type": .raw("null"), "store": "RC_BILLING"]
        ),
        Sample(type: "PAYWALL_IMPRESSION", fields: ["environment": "TOMORROW"]), Sample(type: "TEST", fields: [:]),
    ]) func whatChangesNoAccessIsTakenWithout(_ sample: Sample) throws {
        let event = try verify(sample.type, fields: sample.fields)
        #expect(event.observation == nil && event.transfer == nil)
        #expect(event.environment == sample.environment)
    }

    private static let guaranteed: [String: JSON] = [
        "purchased_at_ms": .number(String(start.milliseconds)), "expiration_at_ms": .number(String(end.milliseconds)),
        "product_id": "pro.monthly", "entitlement_ids": ["pro"], "store": "APP_STORE", "transaction_id": "t0",
    ]
    private static let start = RevenueCatSpecimen.start
    private static let end = start + .seconds(86_400)

    @Test func grantOfAnOutageOpensAccessByWhatIsGuaranteed() throws {
        let event = try verify("TEMPORARY_ENTITLEMENT_GRANT", fields: Self.guaranteed)
        let observation = try #require(event.observation)
        #expect(observation.user == "42")
        #expect(observation.snapshot?.state == .active)
        #expect(observation.snapshot?.accessUntil == Self.end)
        #expect(observation.contract.environment == .production)
        var timeline = ContractTimeline()
        timeline.take(event, at: Self.start)
        #expect(timeline.entitlements(at: Self.start).isActive)
        timeline.take(try verify("EXPIRATION", fields: Self.guaranteed), at: Self.start + .seconds(60))
        #expect(!timeline.entitlements(at: Self.start + .seconds(60)).isActive)
    }

    /// A grant is for a day at the most, also of what is otherwise bought once, for ever.
    @Test(arguments: ProductKind.allCases, ["APP_STORE", "PROMOTIONAL"])
    func grantIsNoCharge(_ kind: ProductKind, store: String) throws {
        let specimen = RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT", changes: ["store": .text(store)])
            .with("expiration_at_ms", to: 4_102_444_800_000)
        var timeline = ContractTimeline()
        timeline.take(try specimen.verify(Catalog(["pro.monthly": .init(kind: kind)])), at: specimen.happenedAt)
        #expect(timeline.entitlements(at: specimen.happenedAt).isActive)
        #expect(!timeline.entitlements(at: specimen.happenedAt + .seconds(86_401)).isActive)
    }

    private func verify(_ type: String, fields: [String: JSON]) throws -> Event {
        var specimen = RevenueCatSpecimen(type)
        specimen.event = [
            "type": .text(type), "id": .text("\(type)-1"), "app_user_id": "42",
            "event_timestamp_ms": .number(String((Self.start + .seconds(60)).milliseconds)),
        ]
        for (name, value) in fields { specimen.event[name] = value }
        return try specimen.verify()
    }
}

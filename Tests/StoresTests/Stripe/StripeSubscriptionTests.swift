import Stores
import Testing

@testable import Domain

/// What the members of Stripe's objects mean, in both shapes of its API.
@Suite struct StripeSubscriptionTests {
    private static let start: Int64 = 1_767_225_600
    private static let month: Int64 = 2_592_000

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var members: [String: JSON]
        var state: ContractState
        var until: Int64?
        var renews = false
    }

    @Test(arguments: [
        Case(testDescription: "active", members: [:], state: .active, until: start + month, renews: true),
        Case(
            testDescription: "trialing without a period",
            members: ["status": "trialing", "current_period_end": .raw("null"), "trial_end": .number("\(start + 60)")],
            state: .active,
            until: start + 60,
            renews: true
        ),
        Case(
            testDescription: "cancel_at_period_end",
            members: ["cancel_at_period_end": true],
            state: .cancelled,
            until: start + month
        ),
        Case(
            testDescription: "cancel_at in this period",
            members: ["cancel_at": .number("\(start + 60)")],
            state: .cancelled,
            until: start + 60
        ),
        Case(
            testDescription: "cancel_at at the period's end",
            members: ["cancel_at": .number("\(start + month)")],
            state: .cancelled,
            until: start + month
        ),
        Case(
            testDescription: "cancel_at after a renewal",
            members: ["cancel_at": .number("\(start + 2 * month)")],
            state: .active,
            until: start + month,
            renews: true
        ),
        Case(
            testDescription: "past due for a month",
            members: ["status": "past_due"],
            state: .inGracePeriod,
            until: start + month,
            renews: true
        ),
        Case(
            testDescription: "past due for a week",
            members: ["status": "past_due", "current_period_end": .number("\(start + 604_800)")],
            state: .inGracePeriod,
            until: start + 604_800,
            renews: true
        ),
        Case(
            testDescription: "past due for a year: not for ever",
            members: ["status": "past_due", "current_period_end": .number("\(start + 12 * month)")],
            state: .inGracePeriod,
            until: start + 30 * 86_400,
            renews: true
        ),
        Case(
            testDescription: "unpaid",
            members: ["status": "unpaid"],
            state: .inBillingRetry,
            until: start,
            renews: true
        ),
        Case(testDescription: "paused", members: ["status": "paused"], state: .paused, renews: true),
        Case(testDescription: "incomplete", members: ["status": "incomplete"], state: .pending, renews: true),
        Case(testDescription: "incomplete_expired", members: ["status": "incomplete_expired"], state: .expired),
        Case(
            testDescription: "canceled",
            members: ["status": "canceled", "ended_at": .number("\(start + 5)"), "canceled_at": .number("\(start)")],
            state: .expired,
            until: start + 5
        ),
        Case(
            testDescription: "canceled because of a dispute",
            members: ["status": "canceled", "cancellation_details": ["reason": "payment_disputed"]],
            state: .revoked,
            until: start
        ),
    ]) func statusDecides(_ given: Case) throws {
        for isCurrent in [false, true] {
            let event = try StripeSpecimen.subscription { object in
                for (name, value) in given.members { object[name] = value }
                if isCurrent { moveToItems(&object) }
            }.verify()
            let snapshot = try #require(event.observation?.snapshot)
            #expect(snapshot.state == given.state)
            #expect(snapshot.accessUntil?.seconds == given.until)
            #expect(snapshot.autoRenew == given.renews)
        }
    }

    /// As the API writes since 2025-03-31.
    private func moveToItems(_ object: inout JSON) {
        object["items"] = [
            "data": [
                [
                    "price": ["id": "price_1"], "current_period_start": object["current_period_start"] ?? .raw("null"),
                    "current_period_end": object["current_period_end"] ?? .raw("null"),
                ]
            ]
        ]
        object["current_period_start"] = nil
        object["current_period_end"] = nil
    }

    @Test(arguments: [
        ([:], "price_1"), (["price_1": Catalog.Product()], "price_1"), (["pro": .init(group: "main")], "pro"),
        (["prod_1": .init()], "prod_1"), (["another": .init()], "price_1"),
    ]) func catalogChoosesTheProductsName(_ products: [String: Catalog.Product], name: String) throws {
        var specimen = StripeSpecimen.subscription {
            $0["items"] = ["data": [["price": ["id": "price_1", "lookup_key": "pro", "product": "prod_1"]]]]
        }
        specimen.catalog = Catalog(products)
        let observation = try #require(try specimen.verify().observation)
        #expect(observation.snapshot?.product == name)
        // The ledger looks groups up: as Stripe's word one could contradict the order's.
        #expect(observation.group == nil)
    }

    @Test func itemThatTheCatalogNamesSpeaksForTheSubscription() throws {
        var specimen = StripeSpecimen.subscription {
            $0["items"] = ["data": [["price": ["id": "price_seat"]], ["price": ["id": "price_plan"]]]]
        }
        #expect(try specimen.verify().observation?.snapshot?.product == "price_seat")
        specimen.catalog = Catalog(["price_plan": .init()])
        #expect(try specimen.verify().observation?.snapshot?.product == "price_plan")
    }

    @Test(arguments: ["order", "paycast_order"]) func metadataNameTheOrder(_ key: String) throws {
        let event = try StripeSpecimen.subscription {
            $0["metadata"] = .object([key: "0F8FAD5B-D9CB-469F-A165-70867728950E"])
        }.verify()
        #expect(event.observation?.token?.description == "0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(event.observation?.account == "cus_1")
    }

    /// Only the label: who owns the contract follows from the order and the customer.
    @Test func anotherCustomerIsATransfer() throws {
        let event = try StripeSpecimen { document in
            document["type"] = "customer.subscription.updated"
            document["data"]?["previous_attributes"] = ["customer": "cus_0"]
        }.verify()
        #expect(event.kind == .contractTransferred)
        #expect(event.observation?.account == "cus_1")
    }

    /// Without its signature, which nobody keeps: a webhook, and an answer of the API.
    @Test func storedEventIsReadAgain() throws {
        let event = try StripeSpecimen().verify()
        let verifier = try #require(StripeVerifier(secrets: [StripeSpecimen.secret]))
        let later = StripeSpecimen.now + .seconds(86_400)
        func again(_ body: [UInt8]) throws -> Event? {
            try verifier.interpret(
                StoredDelivery(id: "evt_1", body: body, environment: .production, app: "stripe", receivedAt: later)
            )
        }
        #expect(try again(event.body) == event)
        let answer = try #require(StripeSpecimen().document["data"]?["object"]).bytes
        let read = try #require(try again(answer))
        #expect(read.observation?.snapshot?.signedAt == later && read.body == answer)
        #expect(throws: VerificationError.self) { try again([1]) }
    }

    /// A developer's own order number stands where ours would.
    @Test func otherOrderNumberDoesNotHideOurs() throws {
        let event = try StripeSpecimen.subscription {
            $0["metadata"] = ["order": "A-1000", "paycast_order": "0f8fad5b-d9cb-469f-a165-70867728950e"]
        }.verify()
        #expect(event.observation?.token != nil)
    }
}

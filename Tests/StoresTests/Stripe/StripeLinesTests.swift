import Testing

@testable import Domain
@testable import Stores

/// The items of one Stripe subscription, whatever their order.
@Suite struct StripeLinesTests {
    private static let items: [JSON] = [
        ["id": "si_1", "price": ["id": "price_base"], "current_period_end": 1_769_817_600],
        ["id": "si_2", "price": ["id": "price_seats"], "current_period_end": 1_769_817_600],
        ["id": "si_3", "price": ["id": "price_usage"], "current_period_end": 1_769_817_600],
    ]

    private func event(_ order: [Int], catalog: Catalog = Catalog(), hasMore: Bool = false) throws -> Event {
        var specimen = StripeSpecimen.subscription { object in
            object["items"] = [
                "object": "list", "data": .array(order.map { Self.items[$0] }), "has_more": .raw("\(hasMore)"),
            ]
        }
        specimen.catalog = catalog
        return try specimen.verify()
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]]) func eachItemIsAContract(_ order: [Int]) throws {
        let read = try event(order)
        #expect(read.observation?.snapshot?.product == "price_base")
        #expect(read.further.map(\.contract.lineage) == ["sub_1#si_2", "sub_1#si_3"])
        #expect(read.further.map(\.snapshot?.product) == ["price_seats", "price_usage"])
        #expect(read.further.allSatisfy { $0.snapshot?.state == .active && $0.token == read.observation?.token })
        #expect(read.lines.map(\.id) == ["evt_1#si_2", "evt_1#si_3"])
        #expect(read.isWhole)
        #expect(try event(order, hasMore: true).isWhole == false)
    }

    /// What the catalog names speaks for the subscription.
    @Test func catalogChoosesTheFirst() throws {
        let read = try event([0, 1, 2], catalog: Catalog(["price_seats": .init(level: 1)]))
        #expect(read.observation?.contract.lineage == "sub_1")
        #expect(read.observation?.snapshot?.product == "price_seats")
        #expect(read.further.map(\.contract.lineage) == ["sub_1#si_1", "sub_1#si_3"])
    }

    /// Nobody uses it, whether it speaks for the subscription or stands beside.
    @Test(arguments: [[0, 5], [1, 0], [0, 0], [1, 5]], ["active", "trialing", "past_due", "unpaid"])
    func itemOfQuantityZeroIsClosed(_ quantities: [Int64], status: String) throws {
        let specimen = StripeSpecimen.subscription { object in
            object["status"] = .text(status)
            let items = quantities.enumerated().map { index, quantity -> JSON in
                [
                    "id": .text("si_\(index)"), "price": ["id": .text("price_\(index)")],
                    "quantity": .number(String(quantity)),
                ]
            }
            object["items"] = ["object": "list", "data": .array(items)]
        }
        let read = try specimen.verify()
        let snapshots = ([read.observation] + read.further).map { $0?.snapshot }
        for (quantity, snapshot) in zip(quantities, snapshots) where quantity == 0 {
            #expect(snapshot?.state == .expired && snapshot?.accessUntil == nil)
            #expect(snapshot?.autoRenew == false && snapshot?.isTrial == false && snapshot?.pendingProduct == nil)
        }
        #expect(zip(quantities, snapshots).allSatisfy { $0 == 0 || $1?.state != .expired })
        // The one that spoke for it still has its id.
        #expect(read.further.map(\.contract.lineage) == ["sub_1#si_1"])
    }

    @Test(arguments: [[0, 1], [1, 0]]) func invoiceIsOfTheItemThatSpeaks(_ order: [Int]) throws {
        let lines: [JSON] = [
            [
                "subscription_item": "si_1", "price": ["id": "price_base"], "amount": 1000,
                "period": ["start": 1_767_225_600, "end": 1_769_817_600],
            ],
            [
                "subscription_item": "si_2", "price": ["id": "price_seats"], "amount": 500,
                "period": ["start": 1_767_225_600, "end": 1_769_817_600],
            ],
        ]
        let read = try StripeSpecimen.event(
            "invoice.paid",
            object: [
                "id": "in_1", "object": "invoice", "status": "paid", "subscription": "sub_1", "customer": "cus_1",
                "created": 1_767_225_600, "billing_reason": "subscription_cycle",
                "lines": ["object": "list", "data": .array(order.map { lines[$0] })],
            ]
        ).verify()
        #expect(read.observation?.transaction?.product == "price_base")
    }

    @Test func statementNamesEachItem() throws {
        let answer = """
            {"id":"sub_1","object":"subscription","status":"active","livemode":true,"current_period_end":1769817600,
            "items":{"data":[{"id":"si_2","price":{"id":"b"}},{"id":"si_1","price":{"id":"a"}}]}}
            """
        let key = ContractKey(provider: .stripe, environment: .production, app: "stripe", lineage: "sub_1")
        let event = try #require(
            StripeSubscription.event(Array(answer.utf8), of: key, catalog: Catalog(), now: StripeSpecimen.now)
        )
        #expect(event.observation?.contract == key)
        #expect(event.further.map(\.contract.lineage) == ["sub_1#si_2"])
    }
}

import Stores
import Testing

@testable import Domain

/// A paid invoice with several lines that arrives before its subscription, in both shapes of the API.
@Suite struct StripeInvoiceTests {
    private static let created: Int64 = 1_767_225_600
    private static let end = created + 2_592_000

    /// What a line charges for.
    enum Line: Sendable, CaseIterable {
        case setUp, plan, calls, callsInAdvance, credit, change
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lines: [Line]
        var product: String?
    }

    @Test(
        arguments: [
            Case(testDescription: "a set-up fee and the plan", lines: [.setUp, .plan], product: "price_plan"),
            Case(testDescription: "usage and the plan", lines: [.calls, .plan], product: "price_plan"),
            Case(testDescription: "usage of nothing yet", lines: [.callsInAdvance, .plan], product: "price_plan"),
            Case(
                testDescription: "all of them",
                lines: [.setUp, .plan, .calls, .callsInAdvance],
                product: "price_plan"
            ),
            Case(testDescription: "a change of plan", lines: [.credit, .change], product: "price_new"),
            Case(testDescription: "only a set-up fee", lines: [.setUp]),
            Case(testDescription: "only usage", lines: [.calls]),
            Case(testDescription: "only a credit", lines: [.credit]),
        ],
        [false, true]
    ) func planSpeaks(_ given: Case, isCurrent: Bool) throws {
        for catalog in [Catalog(), Catalog(["price_setup": .init(), "price_calls": .init()])] {
            for lines in permutations(given.lines) {
                let transaction = try Self.transaction(lines, isCurrent: isCurrent, catalog: catalog)
                #expect(transaction?.product == given.product)
                #expect(transaction?.expiresAt?.seconds == (given.product == nil ? nil : Self.end))
            }
        }
    }

    /// The page leaves the paywall before the subscription's own events arrive, which then name the same contract.
    @Test func subscriptionGoesOnWithTheSameContract() throws {
        var items: [JSON] = [
            ["id": "si_1", "price": ["id": "price_calls", "recurring": ["usage_type": "metered"]]],
            ["id": "si_2", "price": ["id": "price_plan", "recurring": ["usage_type": "licensed"]]],
        ]
        for _ in 1...2 {
            items.reverse()
            let data = items
            let event = try StripeSpecimen.subscription { $0["items"] = ["data": .array(data)] }.verify()
            #expect(event.observation?.snapshot?.product == "price_plan")
            #expect(event.further.map(\.contract.lineage) == ["sub_1#si_1"])
        }
    }

    @Test func sessionNamesThePlan() throws {
        let session: JSON = [
            "id": "cs_1", "object": "checkout.session", "mode": "subscription", "subscription": "sub_1",
            "payment_status": "paid",
            "line_items": [
                "data": [["price": ["id": "price_setup", "type": "one_time"]], ["price": ["id": "price_plan"]]]
            ],
        ]
        let event = try StripeSpecimen.event("checkout.session.completed", object: session).verify()
        #expect(event.observation?.transaction?.product == "price_plan")
    }

    private static func transaction(_ lines: [Line], isCurrent: Bool, catalog: Catalog) throws -> Transaction? {
        let data = JSON.array(lines.map { isCurrent ? current($0) : old($0) })
        var specimen = StripeSpecimen.event(
            "invoice.paid",
            object: [
                "id": "in_1", "object": "invoice", "status": "paid", "customer": "cus_1",
                "created": .number("\(created)"), "billing_reason": "subscription_create",
                "parent": ["subscription_details": ["subscription": "sub_1"]], "lines": ["data": data],
            ]
        )
        specimen.catalog = catalog
        let observation = try #require(try specimen.verify().observation)
        #expect(observation.contract.lineage == "sub_1")
        return observation.transaction
    }

    private static func old(_ line: Line) -> JSON {
        switch line {
        case .setUp:
            entry(line, ["type": "invoiceitem", "price": ["id": "price_setup", "type": "one_time"]])
        case .plan:
            entry(line, ["type": "subscription", "subscription_item": "si_2", "price": price("plan", "licensed")])
        case .calls, .callsInAdvance:
            entry(line, ["type": "subscription", "subscription_item": "si_1", "price": price("calls", "metered")])
        case .credit, .change:
            entry(
                line,
                [
                    "type": "invoiceitem", "subscription_item": "si_2", "proration": true,
                    "price": price(line == .credit ? "plan" : "new", "licensed"),
                ]
            )
        }
    }

    private static func price(_ name: String, _ usage: JSON) -> JSON {
        ["id": .text("price_\(name)"), "type": "recurring", "recurring": ["usage_type": usage]]
    }

    private static func current(_ line: Line) -> JSON {
        let names: [Line: String] = [.setUp: "setup", .plan: "plan", .credit: "plan", .change: "new"]
        let pricing: JSON = ["price_details": ["price": .text("price_\(names[line] ?? "calls")"), "product": "prod_1"]]
        let isProration = JSON.raw("\(line == .credit || line == .change)")
        if line == .setUp {
            let details: JSON = ["invoice_item": "ii_1", "proration": false, "subscription": "sub_1"]
            return entry(line, ["pricing": pricing, "parent": ["invoice_item_details": details]])
        }
        let item: JSON = line == .calls || line == .callsInAdvance ? "si_1" : "si_2"
        let details: JSON = ["subscription_item": item, "proration": isProration, "subscription": "sub_1"]
        return entry(line, ["pricing": pricing, "parent": ["subscription_item_details": details]])
    }

    /// With what both shapes share: amount, quantity and period.
    private static func entry(_ line: Line, _ members: [String: JSON]) -> JSON {
        let month = Int64(2_592_000)
        let (amount, quantity, start, end): (Int64, Int64, Int64, Int64) =
            switch line {
            case .setUp: (5000, 1, created, created)
            case .plan, .change: (1000, 1, created, Self.end)
            case .calls: (300, 42, created - month, created)
            case .callsInAdvance: (0, 0, created, Self.end)
            case .credit: (-500, 1, created, Self.end)
            }
        let common: [String: JSON] = [
            "amount": .number("\(amount)"), "quantity": .number("\(quantity)"),
            "period": ["start": .number("\(start)"), "end": .number("\(end)")],
        ]
        return .object(common.merging(members) { $1 })
    }
}

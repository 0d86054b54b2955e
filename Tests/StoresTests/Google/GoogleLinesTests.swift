import Stores
import Testing

@testable import Domain

/// What one of Google's purchases holds: products, how many of them are left, and until when it is to be acknowledged.
@Suite struct GoogleLinesTests {
    private static let start = GoogleFixture.now

    private func once(_ items: String, state: String = "PURCHASED", at minute: Int = 1) throws -> Event {
        let answer = """
            {"purchaseStateContext":{"purchaseState":"\(state)"},"purchaseCompletionTime":"\(Self.start.iso8601)",
            "orderId":"GPA.1","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING","productLineItem":[\(items)]}
            """
        let catalog = Catalog(["coins": .init(kind: .consumable), "gems": .init(kind: .consumable)])
        let purchase = GooglePurchase(
            product: Array(answer.utf8),
            token: "T",
            package: "app",
            catalog: catalog,
            readAt: Self.start + .seconds(60 * minute)
        )
        return try #require(purchase).statement(body: [], id: "e\(minute)")
    }

    private func item(_ product: String, quantity: Int = 1, left: Int? = nil) -> String {
        let left = left.map { #","refundableQuantity":\#($0)"# } ?? ""
        return #"{"productId":"\#(product)","productOfferDetails":{"quantity":\#(quantity)\#(left)}}"#
    }

    @Test func severalOneTimeProductsInAnyOrder() throws {
        let items = [item("lifetime"), item("coins", quantity: 5)]
        let events = try [items, items.reversed()].map { try once($0.joined(separator: ",")) }
        #expect(events[0] == events[1])
        let read = [events[0].observation] + events[0].further
        #expect(read.map(\.?.contract.lineage) == ["T", "T#lifetime"])
        #expect(read.map(\.?.kind) == [.consumable, .nonConsumable])
        #expect(read.map(\.?.transaction?.quantity) == [5, 1])
        // To consume it would sell what stays once more.
        #expect(events[0].jobs.map(\.kind) == [.acknowledge])
        #expect(try once([item("gems"), item("coins")].joined(separator: ",")).jobs.map(\.kind) == [.consume])
    }

    /// Without a catalog, too, it is always the same one that speaks for the purchase.
    @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
    func listSaysNothingByItsOrder(_ products: [String]) throws {
        let event = try once(products.map { item($0) }.joined(separator: ","))
        #expect(event.observation?.transaction?.product == "a")
        #expect(event.further.map(\.contract.lineage) == ["T#b", "T#c"])
    }

    /// A void by quantity takes some of them back, and what is read of it may be committed in any order.
    @Test func whatWasPaidBackIsNotLeft() throws {
        let events = try [
            once(item("coins", quantity: 5, left: 5), at: 1), once(item("coins", quantity: 5, left: 3), at: 2),
            once(item("coins", quantity: 5, left: 0), at: 3),
        ]
        for (count, quantity) in [(1, 5), (2, 3)] {
            for order in [events.prefix(count), ArraySlice(events.prefix(count).reversed())] {
                var timeline = ContractTimeline()
                for event in order { timeline.take(event, at: Self.start + .seconds(600)) }
                let contract = try #require(timeline.contracts.values.first)
                #expect(contract.transaction?.transaction.quantity == quantity)
                #expect(contract.status(at: Self.start + .seconds(600))?.state == .delivered)
            }
        }
        for order in [events, events.reversed()] {
            var timeline = ContractTimeline()
            for event in order { timeline.take(event, at: Self.start + .seconds(600)) }
            #expect(timeline.status(at: Self.start + .seconds(600))?.state == .revoked)
        }
    }

    /// The row of a charge says what was paid for, whatever was paid back since.
    @Test(arguments: [5, 3, 1, 0]) func aChargeHasWhatWasBought(left: Int) throws {
        let charge = try once(item("coins", quantity: 5, left: left)).observation?.charges.first
        #expect(charge?.terms?.quantity == 5)
        #expect(charge?.refund?.isPartial == (left == 5 ? nil : left > 0))
    }

    struct Rental: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var catalog: [String: Catalog.Product]
        /// In hours after the purchase; nil if nothing says it.
        var hours: Int64?
    }

    /// Google says that it was rented, and not for how long.
    @Test(arguments: [
        Rental(testDescription: "unknown", catalog: [:], hours: nil),
        Rental(
            testDescription: "known as something that is sold",
            catalog: ["film": .init(kind: .nonConsumable)],
            hours: nil
        ),
        Rental(
            testDescription: "with a duration of another option",
            catalog: ["film:month": .init(duration: .days(30)), "film": .init(duration: .years(1))],
            hours: nil
        ),
        Rental(testDescription: "named without a duration", catalog: ["film:weekend": .init(name: "Film")], hours: nil),
        Rental(testDescription: "named", catalog: ["film:weekend": .init(duration: .days(2))], hours: 48),
    ]) func rentalLastsAsLongAsTheCatalogSays(_ given: Rental) throws {
        let item = """
            {"productId":"film","productOfferDetails":{"purchaseOptionId":"weekend","rentOfferDetails":{},"quantity":1}}
            """
        // What the purchase was read with may be older than the catalog.
        let observation = try #require(try once(item).observation)
        #expect(observation.kind == .nonRenewing && observation.transaction?.product == "film")
        var contract = Contract(key: observation.contract, kind: observation.kind)
        _ = contract.apply(observation, event: "e", signedAt: Self.start)
        var policy = AccessPolicy(sandboxUsers: .any)
        policy.catalog = Catalog(given.catalog)
        let status = try #require(contract.status(at: Self.start + .seconds(60), policy: policy))
        #expect(status.product == "film:weekend")
        #expect(status.state == (given.hours == nil ? .pending : .active))
        #expect(status.accessUntil == given.hours.map { Self.start + .seconds($0 * 3600) })
        let charge = try #require(observation.transaction)
        #expect(policy.catalog.isUnnamedRental(charge) == (given.hours == nil))
        guard let hours = given.hours else { return }
        #expect(contract.status(at: Self.start + .seconds(hours * 3600), policy: policy)?.state == .expired)
    }

    @Test func boughtOptionIsNoRental() throws {
        let item = #"{"productId":"film","productOfferDetails":{"purchaseOptionId":"buy","quantity":1}}"#
        let observation = try once(item).observation
        #expect(observation?.kind == .nonConsumable && observation?.transaction?.option == nil)
    }

    struct Term: Sendable {
        var plan: String
        var hours: Int
        var deadline: Int
    }

    /// https://developer.android.com/google/play/billing/subscriptions#prepaid-plans
    @Test(arguments: [
        Term(plan: "prepaidPlan", hours: 24, deadline: 12), Term(plan: "prepaidPlan", hours: 143, deadline: 71),
        Term(plan: "prepaidPlan", hours: 168, deadline: 72), Term(plan: "prepaidPlan", hours: 720, deadline: 72),
        Term(plan: "autoRenewingPlan", hours: 24, deadline: 72),
    ]) func prepaidPlanIsAcknowledgedInTime(_ term: Term) throws {
        let end = (Self.start + .seconds(3600 * term.hours)).iso8601
        let answer = """
            {"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","startTime":"\(Self.start.iso8601)",
            "acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",
            "lineItems":[{"productId":"p","expiryTime":"\(end)","\(term.plan)":{}}]}
            """
        let purchase = GooglePurchase(
            subscription: Array(answer.utf8),
            token: "T",
            package: "app",
            catalog: Catalog(),
            readAt: Self.start
        )
        let job = try #require(purchase?.statement(body: [], id: "e").jobs.first)
        let hours = try #require(job.deadline).milliseconds - Self.start.milliseconds
        #expect(Int(hours / 3_600_000) == term.deadline)
    }
}

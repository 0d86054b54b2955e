import Ledger
import Stores
import Support
import TestSupport
import Testing

@testable import Domain

/// One purchase of several products: each is a contract of its own, whatever the order of the store's list.
@Suite(.blocking) struct PurchaseLinesTests {
    private static let start = TemporaryLedger.start
    private static let day = Duration.seconds(86_400)
    private static let catalog = Catalog([
        "base": .init(group: "premium", level: 1, name: "Base"), "coins": .init(kind: .consumable),
    ])

    /// One line item of Google's answer, and the day on which it ends.
    struct Line: Sendable {
        var product: String
        var days: Int? = 30
        var renews = true
        var replacement: String?
        var isRemoved = false

        var json: String {
            let end = days.map { (PurchaseLinesTests.start + PurchaseLinesTests.day * $0).iso8601 }
            let expiry = end.map { #""expiryTime":"\#($0)","# } ?? ""
            let deferred = replacement.map { #""deferredItemReplacement":{"productId":"\#($0)"},"# } ?? ""
            let removed = isRemoved ? #""deferredItemRemoval":{},"# : ""
            return
                #"{"productId":"\#(product)",\#(expiry)\#(deferred)\#(removed)"autoRenewingPlan":{"autoRenewEnabled":\#(renews)}}"#
        }
    }

    private func read(
        _ id: String,
        lines: [Line],
        minute: Int,
        state: String = "ACTIVE",
        token: OrderToken?,
        catalog: Catalog = PurchaseLinesTests.catalog
    ) throws -> Event {
        let now = Self.start + .seconds(60 * minute)
        let account = token.map { #""externalAccountIdentifiers":{"obfuscatedExternalAccountId":"\#($0)"},"# } ?? ""
        let answer = """
            {\(account)"subscriptionState":"SUBSCRIPTION_STATE_\(state)","startTime":"\(Self.start.iso8601)",
            "acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING","lineItems":[\(lines.map(\.json).joined(separator: ","))]}
            """
        let purchase = try #require(
            GooglePurchase(
                subscription: Array(answer.utf8),
                token: "T",
                package: "app",
                catalog: catalog,
                readAt: now
            )
        )
        return purchase.statement(body: Array(id.utf8), id: id)
    }

    private func ledger(_ catalog: Catalog = PurchaseLinesTests.catalog) throws -> (TemporaryLedger, OrderToken) {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([]), catalog: catalog))
        return (ledger, try ledger.order(OrderRequest(user: "42", product: "base")).order.token)
    }

    private func held(_ ledger: TemporaryLedger) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try ledger.entitlements("42").contracts.map {
                ($0.contract, "\($0.product) \($0.state.rawValue)")
            }
        )
    }

    @Test(arguments: [["base", "extra", "more"], ["more", "extra", "base"], ["extra", "base", "more"]])
    func eachProductIsAContractWhateverTheirOrder(_ products: [String]) throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let event = try read("e1", lines: products.map { Line(product: $0) }, minute: 1, token: token)
        #expect(try ledger.send(event).outcome == .applied)
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra active", "T#more": "more active"])
        // The purchase is acknowledged once, and the base plan speaks for the user.
        #expect(try ledger.jobs(dueAt: Self.start + Self.day).map(\.job.subject) == ["T"])
        #expect(try shownProducts(ledger) == ["base", "base"])
        #expect(try ledger.send(event).outcome == .duplicate)
    }

    @Test func aProductEndsByItself() throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let lines = [Line(product: "extra", days: 3, renews: false), Line(product: "base")]
        _ = try ledger.send(try read("e1", lines: lines, minute: 1, token: token))
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra cancelled"])
        ledger.clock.set(to: Self.start + Self.day * 4)
        _ = try ledger.send(try read("e2", lines: [lines[1]], minute: 5761, token: token))
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra expired"])
        let ended = try ledger.entitlements("42").contracts.first { $0.product == "extra" }
        #expect(ended?.accessUntil == Self.start + Self.day * 3)
    }

    /// The base is what the purchase began with, whatever an add-on is called.
    @Test func addOnTakesNothingOver() throws {
        let (ledger, token) = try ledger(Catalog())
        defer { ledger.remove() }
        let alone = try read("e1", lines: [Line(product: "plan")], minute: 1, token: token, catalog: Catalog())
        _ = try ledger.send(alone)
        let lines = [Line(product: "add.on"), Line(product: "plan", days: 60)]
        let both = try read("e2", lines: lines, minute: 2, token: token, catalog: Catalog())
        #expect(both.observation?.contract.lineage == "T" && both.observation?.snapshot?.product == "add.on")
        _ = try ledger.send(both)
        #expect(try held(ledger) == ["T": "plan active", "T#add.on": "add.on active"])
        // Read again, each statement is filed where it was.
        let filed = try #require(both.filed(as: "e2#add.on"))
        #expect(filed.observation?.contract.lineage == "T#add.on" && filed.id == "e2#add.on")
        _ = try ledger.replay(ReplayBatch(events: [alone, both, filed]))
        #expect(try held(ledger) == ["T": "plan active", "T#add.on": "add.on active"])
        // The add-on alone goes on under the purchase's own id.
        let rest = try read("e3", lines: [Line(product: "add.on")], minute: 3, token: token, catalog: Catalog())
        _ = try ledger.send(rest)
        #expect(try held(ledger) == ["T": "add.on active", "T#add.on": "add.on expired"])
    }

    /// Google leaves its `autoRenewEnabled` on.
    @Test func productThatIsToBeRemovedDoesNotRenew() throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let lines = [Line(product: "base"), Line(product: "extra", isRemoved: true)]
        _ = try ledger.send(try read("e1", lines: lines, minute: 1, token: token))
        let held = try ledger.entitlements("42").contracts
        #expect(held.map(\.product) == ["base", "extra"] && held.map(\.autoRenew) == [true, false])
        #expect(held.map(\.state) == [.active, .cancelled])
    }

    /// Until it begins, a deferred replacement is listed without a date, and later the old product may be.
    @Test(arguments: [[0], [0, 1], [1, 0]]) func deferredReplacementGivesNothingBeforeItBegins(_ order: [Int]) throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let lines = [
            [Line(product: "base", replacement: "extra"), Line(product: "extra", days: nil)],
            [Line(product: "base", days: nil), Line(product: "extra", days: 60)],
        ]
        if order.count > 1 { ledger.clock.set(to: Self.start + Self.day * 31) }
        for index in order {
            _ = try ledger.send(
                try read("e\(index)", lines: lines[index], minute: 1 + index * 44_640, token: token)
            )
        }
        #expect(try held(ledger) == ["T": order.count > 1 ? "extra active" : "base active"])
        let pending = try ledger.entitlements("42").contracts.map(\.pendingProduct)
        #expect(pending == [order.count > 1 ? nil : "extra"])
    }

    /// In whatever state Google calls it: only what is bought once has no end.
    @Test(arguments: ["ACTIVE", "CANCELED", "IN_GRACE_PERIOD"]) func withoutAnEndNothingIsOpen(_ state: String) throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let undated = [Line(product: "base", days: nil)]
        _ = try ledger.send(try read("e1", lines: undated, minute: 1, state: state, token: token))
        #expect(try ledger.entitlements("42").contracts.filter(\.isActive).isEmpty)
        // The end that was stated before still counts, and no more.
        let dated = [Line(product: "base")]
        _ = try ledger.send(try read("e2", lines: dated, minute: 2, state: state, token: token))
        _ = try ledger.send(try read("e3", lines: undated, minute: 3, state: state, token: token))
        let open = try ledger.entitlements("42").contracts.filter(\.isActive)
        #expect(open.map(\.accessUntil) == [Self.start + Self.day * 30])
    }

    /// Google no longer lists the product; the two readings may be committed in any order.
    @Test(arguments: [[0, 1], [1, 0], [0, 1, 0, 1], [1, 0, 1]]) func removedProductHasEnded(_ order: [Int]) throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let events = [
            try read("e1", lines: [Line(product: "base"), Line(product: "extra")], minute: 1, token: token),
            try read("e2", lines: [Line(product: "base")], minute: 2, token: token),
        ]
        for index in order { _ = try ledger.send(events[index]) }
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra expired"])
        // The product comes back, and the page is told.
        _ = try ledger.send(
            try read("e3", lines: [Line(product: "extra"), Line(product: "base")], minute: 3, token: token)
        )
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra active"])
        #expect(try shownProducts(ledger).last == "extra")
    }

    private func shownProducts(_ ledger: TemporaryLedger) throws -> [String] {
        try ledger.entries().entries.flatMap(\.fragments).compactMap { fragment in
            guard case .template(_, let values) = fragment.content else { return nil }
            return values["product"]
        }
    }

    /// A purchase that names no user belongs, with all its products, to the user who claims it, even if only the first
    /// product is known at that time.
    @Test func ownerOfAPurchaseOwnsAllItsProducts() throws {
        let (ledger, _) = try ledger()
        defer { ledger.remove() }
        let lines = [Line(product: "base"), Line(product: "extra")]
        let claimed = try ledger.send(
            try read("e1", lines: [lines[0]], minute: 1, token: nil),
            claim: Claim(user: "42")
        )
        #expect(claimed.claim == .granted)
        _ = try ledger.send(try read("e2", lines: lines, minute: 2, token: nil))
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra active"])
    }

    /// Older versions filed all products under one contract.
    @Test func replayFindsTheProductsOfOlderLedgers() throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        let event = try read("e1", lines: [Line(product: "base"), Line(product: "extra")], minute: 1, token: token)
        var old = event
        old.further = []
        old.isWhole = false
        _ = try ledger.send(old)
        #expect(try held(ledger) == ["T": "base active"])
        _ = try ledger.replay(ReplayBatch(events: event.lines))
        #expect(try held(ledger) == ["T": "base active", "T#extra": "extra active"])
        #expect(event.filed(as: "e1#extra")?.observation?.contract.lineage == "T#extra")
        #expect(event.filed(as: "e1") == event && event.filed(as: "e1#other") == nil)
    }
}

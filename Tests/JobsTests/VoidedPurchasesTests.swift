import Domain
import GoogleStore
import Jobs
import Ledger
import Observability
import Simulator
import StoreInterface
import TestSupport
import Testing

/// Google's list of voided purchases, read over a real socket into a real ledger.
@Suite(.timeLimit(.minutes(10))) struct VoidedPurchasesTests {
    private static let now = AppleStage.now

    /// A user's purchase that Google and the ledger know.
    private struct Scene {
        let google: GoogleStore
        let ledger: LedgerStage
        let order: OrderToken
        var facts: SimulatedSubscription

        init(_ kind: ProductKind = .subscription) throws {
            google = try GoogleStore()
            ledger = try LedgerStage(apis: [.google])
            order = try ledger.order(for: "42", at: .google)
            facts = SimulatedSubscription(product: "paycast.pro.monthly", kind: kind, order: order)
            facts.startedAt = now - .seconds(3600)
            let type = kind == .subscription ? "SUBSCRIPTION_PURCHASED" : "ONE_TIME_PRODUCT_PURCHASED"
            #expect(try ledger.send(say(type, at: now - .seconds(3600))).outcome == .applied)
            (facts.state, facts.lineage) = (.active, SimulatedGooglePlay.lineage(of: facts))
        }

        @discardableResult
        func say(_ words: String, at instant: Instant = now) throws -> Event {
            try google.say(words, of: facts, for: order, at: instant)
        }

        func poll(since: Instant? = nil) -> RecoveryReport {
            ledger.voids(google.reader, of: GoogleStore.package).recover(since: since)
        }

        func state() throws -> ContractState? {
            try ledger.entitlements(of: "42").entitlements.first?.state
        }

        /// Questions about purchases, without the list.
        var readings: Int { google.server.requests.count { $0.path.contains("/tokens/") } }
    }

    /// The push was lost, or it comes before, or after: it is one refund.
    @Test(arguments: [ProductKind.subscription, .nonConsumable]) func countsOnceWhicheverWayItComes(
        _ kind: ProductKind
    ) throws {
        let scene = try Scene(kind)
        defer { scene.ledger.close() }
        let push = try scene.say("VOIDED_PURCHASE")
        let first = scene.poll()
        #expect((first.found, first.recovered, first.outcomes, first.problems) == (1, 1, [.applied: 1], []))
        #expect(try scene.state() == .revoked)
        #expect(try scene.ledger.send(push).outcome == .duplicate)
        let readings = scene.readings
        let second = scene.poll()
        #expect((second.found, second.recovered, second.outcomes) == (1, 0, [.duplicate: 1]))
        #expect(scene.readings == readings, "what took effect is not read again")
        #expect(scene.ledger.metrics.page().contains("paycast_recovered_total 1\n"))
    }

    @Test func pushedIsNotRecovered() throws {
        let scene = try Scene()
        defer { scene.ledger.close() }
        #expect(try scene.ledger.send(scene.say("VOIDED_PURCHASE")).outcome == .applied)
        #expect(scene.poll().outcomes == [.duplicate: 1])
    }

    /// Of an earlier period, and of a part of what was bought in a quantity.
    @Test(arguments: ["past", "partial"]) func entryEndsNothingByItself(_ word: String) throws {
        let scene = try Scene(word == "past" ? .subscription : .nonConsumable)
        defer { scene.ledger.close() }
        let before = try scene.state()
        try scene.say("VOIDED_PURCHASE/\(word)")
        #expect(scene.poll().found == 1)
        #expect(try scene.state() == before)
        #expect(scene.poll().outcomes == [.duplicate: 1])
    }

    /// Google's list may be quicker than its answer about the purchase.
    @Test func isReadAgainUntilItTakesEffect() throws {
        let scene = try Scene()
        defer { scene.ledger.close() }
        try scene.say("VOIDED_PURCHASE")
        var active = scene
        active.facts.accessUntil = Self.now + .seconds(86_400)
        try active.say("SUBSCRIPTION_RESTARTED")
        _ = scene.poll()
        #expect(try scene.state() == .active)
        try scene.say("SUBSCRIPTION_REVOKED")
        #expect(scene.poll().outcomes[.applied] == 1)
        #expect(try scene.state() == .revoked)
    }

    /// From the last success on, a little more, and never so far back that Google refuses.
    @Test func asksForWhatIsNew() throws {
        let scene = try Scene()
        defer { scene.ledger.close() }
        _ = (scene.poll(), scene.poll(), scene.poll(since: Self.now - .seconds(90 * 86_400)))
        let lists = scene.google.server.requests.filter { $0.path.hasSuffix("voidedpurchases") }
        let starts = lists.compactMap { $0.parameter("startTime").flatMap { Int64($0) } }
        let ages = starts.map { (Self.now.milliseconds - $0 + 59_999) / 60_000 }
        #expect(Array(ages.prefix(3)) == [1440, 120, 30 * 1440 - 60])
        let query = "type=1&includeQuantityBasedPartialRefund=true&maxResults=1000&"
        #expect(lists.allSatisfy { $0.query.hasPrefix(query) })
        #expect(lists[0].parameter("endTime") == nil)
    }

    /// One that cannot be read holds up no other, and is tried again.
    @Test func unreadablePurchaseIsTriedAgain() throws {
        let scene = try Scene()
        defer { scene.ledger.close() }
        try scene.google.say("VOIDED_PURCHASE", of: SimulatedSubscription(product: "p", lineage: "token.bad"))
        try scene.say("VOIDED_PURCHASE")
        scene.google.answer { $0.path.hasSuffix("/token.bad") ? .init(500) : nil }
        let first = scene.poll()
        #expect(first.outcomes == [.applied: 1] && first.problems.count == 1 && !first.isFailure)
        #expect(try scene.ledger.mark("history/google/\(GoogleStore.package)") == nil)
        scene.google.answer(nil)
        let second = scene.poll()
        #expect((second.found, second.recovered, second.problems) == (2, 1, []))
        #expect(try scene.ledger.mark("history/google/\(GoogleStore.package)") != nil)
    }
}

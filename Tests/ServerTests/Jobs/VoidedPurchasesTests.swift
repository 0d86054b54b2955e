import Domain
import Ledger
import Simulator
import Stores
import Support
import TestSupport
import Testing

@testable import Server

/// Google's list of voided purchases, read over a real socket into a real ledger.
@Suite(.blocking) struct VoidedPurchasesTests {
    private static let now = AppleFixture.now

    /// A user's purchase that Google and the ledger know.
    private struct Fixture {
        let google: GoogleFixture
        let ledger: LedgerFixture
        let order: OrderToken
        var facts: SimulatedSubscription

        init(_ kind: ProductKind = .subscription) throws {
            google = try GoogleFixture()
            ledger = try LedgerFixture(apis: [.google])
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

        func poll(since: Instant? = nil) throws -> RecoveryReport {
            try ledger.voids(google.reader, of: GoogleFixture.package).recover(since: since)
        }

        func state() throws -> ContractState? {
            try ledger.entitlements(of: "42").contracts.first?.state
        }

        /// Questions about purchases, without the list.
        var readings: Int { google.server.requests.count { $0.path.contains("/tokens/") } }
    }

    /// The push was lost, or it comes before, or after: it is one refund.
    @Test(arguments: [ProductKind.subscription, .nonConsumable]) func countsOnceWhicheverWayItComes(
        _ kind: ProductKind
    ) throws {
        let fixture = try Fixture(kind)
        defer { fixture.ledger.close() }
        let push = try fixture.say("VOIDED_PURCHASE")
        let first = try fixture.poll()
        #expect((first.found, first.recovered, first.outcomes, first.problems) == (1, 1, [.applied: 1], []))
        #expect(try fixture.state() == .revoked)
        #expect(try fixture.ledger.send(push).outcome == .duplicate)
        let readings = fixture.readings
        let second = try fixture.poll()
        #expect((second.found, second.recovered, second.outcomes) == (1, 0, [.duplicate: 1]))
        #expect(fixture.readings == readings, "what took effect is not read again")
        #expect(fixture.ledger.metrics.page().contains("paycast_recovered_total 1\n"))
    }

    @Test func pushedIsNotRecovered() throws {
        let fixture = try Fixture()
        defer { fixture.ledger.close() }
        #expect(try fixture.ledger.send(fixture.say("VOIDED_PURCHASE")).outcome == .applied)
        #expect(try fixture.poll().outcomes == [.duplicate: 1])
    }

    /// Of an earlier period, and of a part of what was bought in a quantity.
    @Test(arguments: ["past", "partial"]) func entryEndsNothingByItself(_ word: String) throws {
        let fixture = try Fixture(word == "past" ? .subscription : .nonConsumable)
        defer { fixture.ledger.close() }
        let before = try fixture.state()
        try fixture.say("VOIDED_PURCHASE/\(word)")
        #expect(try fixture.poll().found == 1)
        #expect(try fixture.state() == before)
        #expect(try fixture.poll().outcomes == [.duplicate: 1])
    }

    /// Google's list may be quicker than its answer about the purchase.
    @Test func isReadAgainUntilItTakesEffect() throws {
        let fixture = try Fixture()
        defer { fixture.ledger.close() }
        try fixture.say("VOIDED_PURCHASE")
        var active = fixture
        active.facts.accessUntil = Self.now + .seconds(86_400)
        try active.say("SUBSCRIPTION_RESTARTED")
        _ = try fixture.poll()
        #expect(try fixture.state() == .active)
        try fixture.say("SUBSCRIPTION_REVOKED")
        #expect(try fixture.poll().outcomes[.applied] == 1)
        #expect(try fixture.state() == .revoked)
    }

    /// From the last success on, a little more, and never so far back that Google refuses.
    @Test func asksForWhatIsNew() throws {
        let fixture = try Fixture()
        defer { fixture.ledger.close() }
        _ = (try fixture.poll(), try fixture.poll(), try fixture.poll(since: Self.now - .seconds(90 * 86_400)))
        let lists = fixture.google.server.requests.filter { $0.path.hasSuffix("voidedpurchases") }
        let starts = lists.compactMap { $0.parameter("startTime").flatMap { Int64($0) } }
        let ages = starts.map { (Self.now.milliseconds - $0 + 59_999) / 60_000 }
        #expect(Array(ages.prefix(3)) == [1440, 120, 30 * 1440 - 60])
        let query = "type=1&includeQuantityBasedPartialRefund=true&maxResults=1000&"
        #expect(lists.allSatisfy { $0.query.hasPrefix(query) })
        #expect(lists[0].parameter("endTime") == nil)
    }

    /// One that cannot be read holds up no other, and is tried again.
    @Test func unreadablePurchaseIsTriedAgain() throws {
        let fixture = try Fixture()
        defer { fixture.ledger.close() }
        try fixture.google.say("VOIDED_PURCHASE", of: SimulatedSubscription(product: "p", lineage: "token.bad"))
        try fixture.say("VOIDED_PURCHASE")
        fixture.google.answer { $0.path.hasSuffix("/token.bad") ? .init(500) : nil }
        let first = try fixture.poll()
        #expect(first.outcomes == [.applied: 1] && first.problems.count == 1 && !first.isFailure)
        #expect(try fixture.ledger.mark("history/google/\(GoogleFixture.package)") == nil)
        fixture.google.answer(nil)
        let second = try fixture.poll()
        #expect((second.found, second.recovered, second.problems) == (2, 1, []))
        #expect(try fixture.ledger.mark("history/google/\(GoogleFixture.package)") != nil)
    }
}

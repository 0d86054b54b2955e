import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

@Suite(.blocking) struct LedgerWriterTests {
    private let now = TemporaryLedger.start

    @Test func purchaseCommitsAnEntryWithItsFragments() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "monthly", provider: .apple))
        let result = try ledger.send(Fixture.subscription("e1", state: .active, token: placed.order.token))
        #expect(result.outcome == .applied)
        let entry = try #require(try ledger.entries().entries.first)
        #expect(ledger.committed.all == [entry])
        #expect(result.cursor == Cursor(epoch: ledger.writer.epoch, position: entry.position))
        #expect(entry.fragments.summary == ["paywall=success", "subscription_status=manage"])
        #expect(entry.notice.user == "42")
        #expect(entry.notice.active == true)
        #expect(try ledger.missed("42", since: placed.since).items.map(\.fragments) == [entry.fragments])
    }

    @Test func outcomes() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly", group: "premium")).order.token
        let first = Fixture.subscription("e1", state: .active, minute: 10, token: token)
        let bought = try ledger.send(first)
        #expect(bought.outcome == .applied)
        #expect(try ledger.send(first) == CommitResult(outcome: .duplicate, event: "e1", cursor: bought.cursor))
        #expect(try ledger.send(Fixture.subscription("e2", state: .expired, minute: 5)).outcome == .stale)
        #expect(try ledger.send(Fixture.subscription("e3", state: .active, minute: 11)).outcome == .ignored)
        #expect(try ledger.send(Fixture.event("e4", kind: .providerTest, observation: nil)).outcome == .ignored)
        let stranger = Fixture.subscription("e5", state: .active, key: Fixture.key("2"))
        #expect(try ledger.send(stranger).outcome == .unclaimed)
        let contradiction = Fixture.subscription(
            "e6",
            state: .active,
            token: token,
            group: "other",
            key: Fixture.key("3")
        )
        #expect(try ledger.send(contradiction).outcome == .quarantined)
        let upgrade = Fixture.subscription("e7", state: .active, minute: 12, product: "yearly", token: token)
        #expect(try ledger.send(upgrade).outcome == .applied)

        let outcomes = try ledger.entries().entries.map(\.notice.outcome)
        #expect(outcomes == [.applied, .stale, .ignored, .ignored, .unclaimed, .quarantined, .applied])
        let held = try ledger.entitlements("42")
        #expect(held.contracts.map(\.product) == ["yearly"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 1"))
        #expect(
            ledger.metrics.page().contains("paycast_events_total{provider=\"apple\",outcome=\"quarantined\"} 1")
        )
    }

    @Test func otherProviderThanTheOrderSaysIsQuarantined() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly", provider: .apple)).order.token
        let key = Fixture.key("sub_1", provider: .stripe)
        let result = try ledger.send(Fixture.subscription("e1", state: .active, token: token, key: key))
        #expect(result.outcome == .quarantined)
        #expect(try ledger.entitlements("42").contracts.isEmpty)
        #expect(try ledger.missed("42").items.isEmpty)
    }

    @Test func sandboxOpensNothingForOthersThanTesters() throws {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only(["tester"])))
        defer { ledger.remove() }
        for (user, lineage) in [("42" as UserID, "1"), ("tester", "2")] {
            let token = try ledger.order(OrderRequest(user: user, product: "monthly")).order.token
            let key = Fixture.key(lineage, environment: .sandbox)
            let result = try ledger.send(Fixture.subscription("e-\(user)", state: .active, token: token, key: key))
            #expect(result.outcome == .applied)
        }
        #expect(try ledger.entitlements("42").isActive == false)
        #expect(try ledger.entitlements("42").contracts.map(\.isActive) == [false])
        #expect(try ledger.missed("42").items.isEmpty)
        #expect(try ledger.entitlements("tester").isActive)
    }

    /// Both by the writer, whose fragments reach the page, and by the reader.
    @Test func newRulesCountFromNowOn() throws {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([])))
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let key = Fixture.key("1", environment: .sandbox)
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token, key: key))
        #expect(try ledger.missed("42").items.isEmpty)
        let rules = AccessPolicy(sandboxUsers: .any)
        #expect(ledger.writer.submit(.policy(rules)) && ledger.reader.adopt(rules))
        #expect(try ledger.entitlements("42").isActive)
        _ = try ledger.send(Fixture.subscription("e2", state: .inGracePeriod, minute: 5, token: token, key: key))
        #expect(try !ledger.missed("42").items.isEmpty)
    }

    @Test func unionDecidesThePaywall() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.send(Fixture.purchase("e2", kind: .nonConsumable, product: "lifetime", token: token))
        _ = try ledger.send(Fixture.subscription("e3", state: .revoked, minute: 5))
        let last = try #require(try ledger.entries().entries.last)
        #expect(last.notice.state == .revoked)
        #expect(last.notice.active == true)
        // The card may show the revoked contract.
        #expect(last.fragments.summary == ["paywall=manage"])
        let products: [String?] = last.fragments.map { fragment in
            guard case .template(_, let values) = fragment.content else { return nil }
            return values["product"]
        }
        #expect(products == ["lifetime"])
        let held = try ledger.entitlements("42")
        #expect(held.isActive)
        #expect(held.contracts.map(\.product) == ["lifetime", "monthly"])
    }

    @Test func newerTokenOfAnotherUserMovesTheContract() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let old = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        let new = try ledger.order(OrderRequest(user: "new", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: old))
        _ = try ledger.send(Fixture.subscription("e2", state: .active, minute: 5, token: new))
        let entry = try #require(try ledger.entries().entries.last)
        #expect(
            entry.fragments.map(\.stream.text) == [
                "user:old:paywall", "user:old:paywall", "user:new:paywall", "user:new:paywall",
            ]
        )
        #expect(
            entry.fragments.summary == [
                "paywall=moved", "subscription_status=moved", "paywall=success", "subscription_status=manage",
            ]
        )
        #expect(try ledger.entitlements("old").isActive == false)
        #expect(try ledger.entitlements("new").isActive)
    }

    @Test func accessEndsByItself() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, until: .seconds(3600), token: token))
        try ledger.setClock(to: now + .seconds(3600) - .milliseconds(200))
        let entry = ledger.committed.wait { entries in entries.first { $0.notice.kind == .accessEnded } }
        #expect(entry.notice.previousState == .active)
        #expect(entry.notice.state == .expired)
        #expect(entry.notice.active == false)
        #expect(entry.fragments.summary == ["paywall=paywall", "subscription_status=paywall"])
        #expect(entry.committedAt >= now + .seconds(3600))
    }

    @Test func accessThatEndedWhileTheServerWasDownEndsAtStart() throws {
        let first = try TemporaryLedger()
        let token = try first.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try first.send(Fixture.subscription("e1", state: .active, token: token))
        first.close()
        let second = try TemporaryLedger(at: first.path, now: now + .seconds(31 * 86_400))
        defer { second.remove() }
        let entry = second.committed.wait { $0.first }
        #expect(entry.notice.kind == .accessEnded)
        #expect(entry.position == 2)
        #expect(
            try second.missed("42").items.map(\.fragments.summary) == [
                ["paywall=paywall", "subscription_status=paywall"]
            ]
        )
    }

    @Test func broadcastsAreEntries() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let stream = try #require(StreamName("room"))
        let fragments = [
            Fragment(stream: stream, action: "append", target: "list", content: .html("<li>é</li>")),
            Fragment(stream: stream, action: "remove", target: "list", content: .none),
            Fragment(
                stream: stream,
                action: "replace",
                targets: ".all",
                content: .template(name: "note", values: ["a": "1,2:3", "": "\r\n"])
            ),
            Fragment(stream: stream, action: "refresh", content: .markup("<turbo-stream></turbo-stream>")),
        ]
        let cursors = try ledger.broadcast(fragments)
        #expect(cursors.map(\.position) == [1, 2, 3, 4])
        #expect(try ledger.entries().entries.flatMap(\.fragments) == fragments)
        #expect(try ledger.entries().entries.allSatisfy { $0.notice.kind == .broadcast })
    }

    /// PostgreSQL's texts have no U+0000; HTML parsers read it as U+FFFD.
    @Test func aFileKeepsEveryCharacter() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let stream = try #require(StreamName("room"))
        let fragment = Fragment(stream: stream, action: "append", target: "list", content: .html("<li>\u{0}é</li>"))
        _ = try ledger.broadcast([fragment])
        #expect(try ledger.entries().entries.flatMap(\.fragments) == [fragment])
    }

    @Test func reopeningContinuesPositionsAndEpoch() throws {
        let first = try TemporaryLedger()
        let result = try first.send(Fixture.event("e1", kind: .providerTest, observation: nil))
        first.close()
        let second = try TemporaryLedger(at: first.path)
        defer { second.remove() }
        #expect(second.writer.epoch == first.writer.epoch)
        #expect(second.writer.epoch.utf8.count == 8)
        let next = try second.send(Fixture.event("e2", kind: .providerTest, observation: nil))
        #expect(next.cursor.position == result.cursor.position + 1)
        #expect(try second.send(Fixture.event("e1", kind: .providerTest, observation: nil)).outcome == .duplicate)
    }

    @Test func epochsDiffer() throws {
        let ledgers = [try TemporaryLedger(), try TemporaryLedger()]
        #expect(ledgers[0].writer.epoch != ledgers[1].writer.epoch)
        for ledger in ledgers { ledger.remove() }
    }
}

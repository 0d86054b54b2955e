import Domain
import Ledger
import TestSupport
import Testing

/// What a store says of its users: RevenueCat's TRANSFER.
@Suite(.blocking) struct TransferTests {
    private let now = TemporaryLedger.start

    private func bought(_ id: String, by user: UserID, minute: Int64, lineage: String = "1") -> Event {
        var event = Fixture.subscription(
            id,
            state: .active,
            minute: minute,
            key: Fixture.key(lineage, provider: .revenuecat)
        )
        event.observation?.user = user
        return event
    }

    private func transfer(_ id: String, from: [UserID], to: UserID, minute: Int64) -> Event {
        var event = Fixture.event(id, kind: .contractTransferred, observation: nil)
        event.provider = .revenuecat
        event.signedAt = now + .seconds(60 * minute)
        event.transfer = Transfer(from: from, to: to)
        return event
    }

    @Test func bothUsersAreToldInOneCommit() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ledger.send(bought("e1", by: "a", minute: 0)).outcome == .applied)
        let result = try ledger.send(transfer("t1", from: ["a", "alias"], to: "b", minute: 5))
        #expect(result.outcome == .applied)
        let entry = try #require(try ledger.entries().entries.last)
        #expect(entry.notice.kind == .contractTransferred)
        #expect(entry.notice.user == "b")
        #expect(
            entry.fragments.summary == [
                "paywall=moved", "subscription_status=moved", "paywall=success", "subscription_status=manage",
            ]
        )
        #expect(try ledger.entitlements("a").contracts.isEmpty)
        #expect(try ledger.entitlements("b").isActive)
        #expect(try ledger.send(transfer("t1", from: ["a", "alias"], to: "b", minute: 5)).outcome == .duplicate)
        #expect(try ledger.send(transfer("t2", from: ["nobody"], to: "b", minute: 6)).outcome == .ignored)
    }

    @Test(arguments: [true, false]) func sandboxMovesWhenTheStoreDoesNotSayWhere(_ isEverywhere: Bool) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var sandbox = bought("e1", by: "a", minute: 0)
        sandbox.environment = .sandbox
        sandbox.observation?.contract.environment = .sandbox
        var moved = transfer("t1", from: ["a"], to: "b", minute: 5)
        moved.transfer?.isEverywhere = isEverywhere
        _ = try ledger.send(bought("e2", by: "a", minute: 0, lineage: "2"))
        _ = try ledger.send(sandbox)
        #expect(try ledger.send(moved).outcome == .applied)
        let left = try ledger.entitlements("a").contracts.map(\.contract)
        #expect(left == (isEverywhere ? [] : ["1"]))
    }

    struct Order: Sendable, CustomTestStringConvertible {
        var indexes: [Int]
        var testDescription: String { indexes.description }
    }

    private static let orders: [Order] = permutations([0, 1, 2, 3]).map { Order(indexes: $0) }

    /// Bought by a, moved to b, then to c; another one that a bought after it stays. In every order of incoming.
    @Test(arguments: orders)
    func orderOfArrivalDoesNotMatter(_ order: Order) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let events = [
            bought("e1", by: "a", minute: 0), transfer("t1", from: ["a"], to: "b", minute: 5),
            transfer("t2", from: ["b"], to: "c", minute: 8), bought("e2", by: "a", minute: 6, lineage: "2"),
        ]
        for index in order.indexes { _ = try ledger.send(events[index]) }
        #expect(try ledger.entitlements("a").contracts.map(\.contract) == ["2"])
        #expect(try ledger.entitlements("b").contracts.isEmpty)
        #expect(try ledger.entitlements("c").contracts.map(\.contract) == ["1"])
    }

    @Test func circleEnds() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for (id, from, to) in [("t1", "a" as UserID, "b" as UserID), ("t2", "b", "a"), ("t3", "a", "a")] {
            _ = try ledger.send(transfer(id, from: [from], to: to, minute: 5))
        }
        #expect(try ledger.send(bought("e1", by: "a", minute: 5)).outcome == .applied)
        #expect(try ledger.entitlements("b").isActive)
    }

    @Test func storeThatKnowsItsUserIsNotOverruledByAClaim() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "a", minute: 0))
        var posted = bought("e2", by: "a", minute: 1)
        posted.observation?.user = nil
        #expect(try ledger.send(posted, claim: Claim(user: "b")).claim == .refused)
        #expect(try ledger.entitlements("a").isActive)
    }

    /// Apple's RESCIND_CONSENT names the download; the app's own server decides what its users see.
    @Test func rescindedConsentRefreshesThePagesBehindIt() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        var event = Fixture.subscription("e1", state: .active, token: token)
        event.observation?.account = "download"
        _ = try ledger.send(event)
        var consent = Fixture.event("e2", kind: .consentRescinded, observation: nil)
        consent.account = "download"
        #expect(try ledger.send(consent).outcome == .ignored)
        let entry = try #require(try ledger.entries().entries.last)
        #expect(entry.notice.user == "42")
        #expect(entry.fragments.map(\.action) == ["refresh"])
        #expect(entry.fragments.map(\.stream.text) == ["user:42:paywall"])
        #expect(try ledger.entitlements("42").isActive)
    }
}

private func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
}

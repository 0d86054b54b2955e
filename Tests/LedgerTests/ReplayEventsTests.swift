import Domain
import TestSupport
import Testing

@testable import Ledger

@Suite(.timeLimit(.minutes(10))) struct ReplayEventsTests {
    @Test func dryRunTellsAndChangesNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Stories.subscription("e1", .active, token: token))
        let events = [
            Stories.subscription("e1", .active, token: token), Stories.subscription("e2", .revoked, minute: 5),
        ]
        let changes = try ledger.replayEvents(events, .dryRun)
        #expect(changes.map(\.after) == [.active, .revoked])
        #expect(changes.map(\.changesSomething) == [false, true])
        #expect(changes.map(\.user) == ["42", "42"])
        #expect(try ledger.entitlements("42").isActive)
        #expect(try ledger.entries().entries.count == 1)
        #expect(try ledger.replayEvents(events, .apply) == changes)
        #expect(try ledger.entitlements("42").isActive == false)
        #expect(
            try ledger.entries().entries.map(\.fragments.summary).last == [
                "paywall=revoked", "subscription_status=revoked",
            ]
        )
        // What was new is stored like any other event.
        #expect(try ledger.events(EventSelection(user: "42")).map(\.id) == ["e1", "e2"])
        #expect(try ledger.replayEvents(events, .apply).allSatisfy { !$0.changesSomething })
        #expect(try ledger.entries().entries.count == 2)
    }

    @Test func broadcastTellsTheUsersAgain() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let events = [
            Stories.subscription("e1", .active, token: token),
            Stories.subscription("e2", .cancelled, minute: 1, token: token),
        ]
        for event in events { _ = try ledger.send(event) }
        _ = try ledger.replayEvents(events, .broadcast)
        let entries = try ledger.entries(after: 2).entries
        #expect(entries.map(\.fragments.summary) == [["paywall=success", "subscription_status=ending"]])
        #expect(entries.map(\.notice.user) == ["42"])
    }

    @Test func storedEventsAreFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for number in 1...6 {
            let key = Stories.key("\(number % 2)")
            _ = try ledger.send(Stories.subscription("e\(number)", .active, minute: Int64(number), key: key))
        }
        #expect(try ledger.events(EventSelection()).count == 6)
        #expect(try ledger.events(EventSelection(since: 2, until: 4)).map(\.id) == ["e2", "e3", "e4"])
        #expect(try ledger.events(EventSelection(after: 2), limit: 2).map(\.id) == ["e3", "e4"])
        #expect(try ledger.events(EventSelection(ids: ["e5", "e1", "none"])).map(\.id) == ["e1", "e5"])
        let first = try #require(try ledger.events(EventSelection(ids: ["e1"])).first)
        #expect(String(decoding: first.body, as: UTF8.self) == "{\"id\":\"e1\"}")
        #expect((first.provider, first.app, first.position) == (.apple, "com.example", 1))
    }
}

import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// One event, and what explains its outcome.
@Suite(.blocking) struct EventRecordTests {
    @Test func aStaleEventNamesTheNewerOne() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 9))
        _ = try ledger.send(Fixture.subscription("e3", state: .active, minute: 5))
        _ = try ledger.send(Fixture.subscription("e4", state: .active, minute: 20))
        let stale = try #require(try ledger.event(.id("e3")))
        #expect(stale.event.entry.notice.outcome == .stale && stale.newer?.entry.notice.event == "e2")
        #expect(stale.newer?.dates?.occurredAt == Fixture.now + .seconds(540))
        #expect(stale.stored?.body == Array(#"{"id":"e3"}"#.utf8))
        let newest = try #require(try ledger.event(.id("e4")))
        #expect(newest.newer == nil && newest.event.entry.fragments.isEmpty == false)
        #expect(try ledger.event(.position(3)) == stale)
    }

    /// The ledger commits some entries by itself.
    @Test func anEntryOfTheLedgerHasAPositionOnly() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        let claimed = try #require(try ledger.event(.position(2)))
        #expect(claimed.event.entry.notice.kind == .orderClaimed && claimed.stored == nil && claimed.newer == nil)
    }

    @Test(arguments: [EventName.id("e"), .id(""), .id("E1"), .id("e1 "), .position(0), .position(9), .position(-1)])
    func whatNobodyHasIsNotFound(_ name: EventName) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active))
        #expect(try ledger.event(name) == nil)
    }

    /// The entry stays, and names nobody; its id is a digest from then on.
    @Test func anErasedEventIsNotFoundByItsID() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        _ = try ledger.erase("42")
        #expect(try ledger.event(.id("e1")) == nil)
        let left = try #require(try ledger.event(.position(1)))
        #expect(left.event.entry.notice.user == nil && left.event.entry.notice.event == nil)
        #expect(left.stored?.body.isEmpty == true)
    }
}

extension TemporaryLedger {
    func event(_ name: EventName) throws -> EventRecord? {
        try reader.answer { try $0.event(name) }
    }
}

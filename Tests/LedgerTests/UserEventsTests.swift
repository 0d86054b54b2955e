import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Everything that is known about a user, newest first, page by page.
@Suite(.blocking) struct UserEventsTests {
    @Test func theNewestComeFirst() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        _ = try ledger.send(Fixture.subscription("x1", state: .active, key: Fixture.key("2")), claim: Claim(user: "43"))
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 2))
        _ = try ledger.send(Fixture.subscription("e3", state: .active, minute: 1))
        let found = try ledger.userEvents("42")
        #expect(found.events.map(\.entry.notice.event) == ["e3", "e2", "e1"])
        #expect(found.events.map(\.entry.notice.outcome) == [.stale, .applied, .applied])
        #expect(found.events.map { $0.entry.notice.reason != nil } == [true, false, false])
        #expect(found.events.map { $0.entry.fragments.isEmpty } == [true, false, false])
        #expect(found.events[1].dates?.occurredAt == Fixture.now + .seconds(120))
        #expect(found.next == nil && found.head.position == 4)
        #expect(try ledger.userEvents("4").events.isEmpty)
    }

    /// Events that came before their user was known, and entries that the ledger committed by itself.
    @Test func eventsFromBeforeTheirUserWasKnownAreFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, until: .seconds(600), token: token))
        _ = try ledger.send(Fixture.subscription("x1", state: .active, key: Fixture.key("2")))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        ledger.clock.set(to: Fixture.now + .seconds(30 * 86_400))
        _ = try ledger.send(Fixture.subscription("x2", state: .expired, minute: 9, key: Fixture.key("2")))
        let found = try ledger.userEvents("42").events.map(\.entry.notice)
        #expect(found.map(\.kind) == [.accessEnded, .orderClaimed, .subscriptionRenewed])
        #expect(found.last?.outcome == .unclaimed && found.last?.event == "e1")
    }

    @Test func eventThatContradictsAnOrderIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "p", provider: .google))
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: placed.order.token))
        let found = try ledger.userEvents("42").events.map(\.entry.notice)
        #expect(found.map(\.event) == ["e1"] && found.map(\.outcome) == [.quarantined])
        #expect(found.first?.reason == "it contradicts the order that its token names")
    }

    /// The contract belongs to another user now, but its events still explain why this user's page changed.
    @Test func contractThatMovedAwayIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let key = Fixture.key(provider: .revenuecat)
        func event(_ id: String, of user: UserID, minute: Int64) -> Event {
            var event = Fixture.subscription(id, state: .active, minute: minute, key: key)
            event.observation?.user = user
            return event
        }
        _ = try ledger.send(event("e1", of: "42", minute: 0))
        _ = try ledger.send(event("e2", of: "43", minute: 1))
        _ = try ledger.send(event("e3", of: "43", minute: 2))
        #expect(try ledger.userEvents("42").events.map(\.entry.notice.event) == ["e2", "e1"])
        #expect(try ledger.userEvents("43").events.map(\.entry.notice.event) == ["e3", "e2"])
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsToldNothing(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        #expect(try ledger.userEvents(UserID(pair.one)).events.count == 1)
        #expect(try ledger.userEvents(UserID(pair.other)).events.isEmpty)
        #expect(try ledger.record(UserID(pair.one)).contracts.count == 1)
        #expect(try ledger.record(UserID(pair.other)).contracts.isEmpty)
        #expect(try ledger.record(UserID(pair.other)).orders.isEmpty)
    }

    /// Every event is read once, however small the pages are and whatever is committed meanwhile.
    @Test(arguments: [1, 2, 3, 7, 100]) func pagesFollowEachOther(_ limit: Int) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var expected: [String] = []
        for number in 0..<10 {
            let token = OrderToken.random()
            let key = Fixture.key("\(number)")
            _ = try ledger.send(Fixture.subscription("u\(number)", state: .active, token: token, key: key))
            _ = try ledger.order(OrderRequest(user: "42", product: "p", token: token))
            _ = try ledger.send(
                Fixture.subscription("c\(number)", state: .cancelled, minute: 1, token: token, key: key)
            )
            _ = try ledger.send(Fixture.subscription("s\(number)", state: .active, token: token, key: key))
            expected += ["u\(number)", "order.claimed", "c\(number)", "s\(number)"]
        }
        var (found, before): ([String], Cursor?) = ([], nil)
        for round in 0..<100 {
            let page = try ledger.userEvents("42", before: before, limit: limit)
            #expect(page.events.count <= limit)
            found += page.events.map { $0.entry.notice.event ?? $0.entry.notice.kind.rawValue }
            _ = try ledger.send(
                Fixture.subscription("new\(round)", state: .active, minute: 2 + Int64(round), key: Fixture.key("0"))
            )
            before = page.next
            if before == nil { break }
        }
        #expect(before == nil && found == expected.reversed())
    }

    /// Whoever shares a contract has what was said about it before anybody was known.
    @Test func unclaimedEventsOfSharedContractsAreFound() throws {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([]), transfers: .share))
        defer { ledger.remove() }
        #expect(try ledger.send(Fixture.subscription("e1", state: .active)).outcome == .unclaimed)
        let posted = Fixture.subscription("e2", state: .active, minute: 1)
        for user in ["42", "43"] as [UserID] { _ = try ledger.send(posted, claim: Claim(user: user)) }
        #expect(try ledger.record("43").contracts.map(\.tracked.shares) == [["43"]])
        for user in ["42", "43"] as [UserID] {
            #expect(try ledger.userEvents(user).events.last?.entry.notice.event == "e1")
        }
    }

    /// Reading a page of a user with many entries costs no more than reading one of a user with few.
    @Test func aHistoryOfManyThousandIsRead() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(5))
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO entries (committed_at, kind, provider, environment, event, outcome, user, contract)
                SELECT i, 'subscription.renewed', 'apple', 'Production', 'e' || i, 'applied',
                    iif(i % 2, '42', '43'), '1' FROM n;
            """
        )
        let first = try ledger.userEvents("42", limit: 100)
        #expect(first.events.count == 100 && first.events.first?.entry.position == 20_000)
        let last = try ledger.userEvents("42", before: Cursor(epoch: ledger.writer.epoch, position: 4))
        #expect(last.events.map(\.entry.position) == [2, 1] && last.next == nil)
    }
}

extension TemporaryLedger {
    func userEvents(_ user: UserID, before: Cursor? = nil, limit: Int = 50) throws -> UserEvents {
        let stream = StreamPattern.standard.stream(for: user)
        return try reader.answer {
            try $0.userEvents(of: user, shownOn: stream, before: before?.position, limit: limit)
        }
    }

    func record(_ user: UserID) throws -> UserRecord {
        try reader.answer { try $0.record(of: user) }
    }

    func orderRecord(_ token: OrderToken) throws -> OrderRecord? {
        try reader.answer { try $0.order(token) }.order
    }
}

import Concurrency
import Domain
import TestSupport
import Testing

@testable import Ledger

/// Everything that is known of a user, the newest first, page by page.
@Suite(.timeLimit(.minutes(10))) struct UserEventsTests {
    @Test func theNewestComeFirst() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Stories.subscription("e1", .active), claim: Claim(user: "42"))
        _ = try ledger.send(Stories.subscription("x1", .active, key: Stories.key("2")), claim: Claim(user: "43"))
        _ = try ledger.send(Stories.subscription("e2", .cancelled, minute: 2))
        _ = try ledger.send(Stories.subscription("e3", .active, minute: 1))
        let found = try ledger.userEvents("42")
        #expect(found.events.map(\.entry.notice.event) == ["e3", "e2", "e1"])
        #expect(found.events.map(\.entry.notice.outcome) == [.stale, .applied, .applied])
        #expect(found.events.map { $0.entry.notice.reason != nil } == [true, false, false])
        #expect(found.events.map { $0.entry.fragments.isEmpty } == [true, false, false])
        #expect(found.events[1].dates?.occurredAt == Stories.now + .seconds(120))
        #expect(found.next == nil && found.head.position == 4)
        #expect(try ledger.userEvents("4").events.isEmpty)
    }

    /// What came before anybody knew whose it is, and what the ledger committed by itself.
    @Test func whatWasNobodysIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Stories.subscription("e1", .active, until: .seconds(600), token: token))
        _ = try ledger.send(Stories.subscription("x1", .active, key: Stories.key("2")))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        ledger.clock.set(to: Stories.now + .seconds(30 * 86_400))
        _ = try ledger.send(Stories.subscription("x2", .expired, minute: 9, key: Stories.key("2")))
        let found = try ledger.userEvents("42").events.map(\.entry.notice)
        #expect(found.map(\.kind) == [.accessEnded, .orderClaimed, .subscriptionRenewed])
        #expect(found.last?.outcome == .unclaimed && found.last?.event == "e1")
    }

    @Test func whatContradictsAnOrderIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "p", provider: .google))
        _ = try ledger.send(Stories.subscription("e1", .active, token: placed.order.token))
        let found = try ledger.userEvents("42").events.map(\.entry.notice)
        #expect(found.map(\.event) == ["e1"] && found.map(\.outcome) == [.quarantined])
        #expect(found.first?.reason == "it contradicts the order that its token names")
    }

    /// It is another user's now, and still why this one's page has changed.
    @Test func whatWentToSomebodyElseIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let key = Stories.key(provider: .revenuecat)
        func event(_ id: String, _ user: UserID, minute: Int64) -> Event {
            var event = Stories.subscription(id, .active, minute: minute, key: key)
            event.observation?.user = user
            return event
        }
        _ = try ledger.send(event("e1", "42", minute: 0))
        _ = try ledger.send(event("e2", "43", minute: 1))
        _ = try ledger.send(event("e3", "43", minute: 2))
        #expect(try ledger.userEvents("42").events.map(\.entry.notice.event) == ["e2", "e1"])
        #expect(try ledger.userEvents("43").events.map(\.entry.notice.event) == ["e3", "e2"])
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsToldNothing(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly")).order.token
        _ = try ledger.send(Stories.subscription("e1", .active, token: token))
        #expect(try ledger.userEvents(UserID(pair.one)).events.count == 1)
        #expect(try ledger.userEvents(UserID(pair.other)).events.isEmpty)
        #expect(try ledger.record(UserID(pair.one)).contracts.count == 1)
        #expect(try ledger.record(UserID(pair.other)).contracts.isEmpty)
        #expect(try ledger.record(UserID(pair.other)).orders.isEmpty)
    }

    /// Each thing once, however small the pages are, whatever is committed while they are read.
    @Test(arguments: [1, 2, 3, 7, 100]) func pagesFollowEachOther(_ limit: Int) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var expected: [String] = []
        for number in 0..<10 {
            let token = OrderToken.random()
            let key = Stories.key("\(number)")
            _ = try ledger.send(Stories.subscription("u\(number)", .active, token: token, key: key))
            _ = try ledger.order(OrderRequest(user: "42", product: "p", token: token))
            _ = try ledger.send(Stories.subscription("c\(number)", .cancelled, minute: 1, token: token, key: key))
            _ = try ledger.send(Stories.subscription("s\(number)", .active, token: token, key: key))
            expected += ["u\(number)", "order.claimed", "c\(number)", "s\(number)"]
        }
        var (found, before): ([String], Cursor?) = ([], nil)
        for round in 0..<100 {
            let page = try ledger.userEvents("42", before: before, limit: limit)
            #expect(page.events.count <= limit)
            found += page.events.map { $0.entry.notice.event ?? $0.entry.notice.kind.rawValue }
            _ = try ledger.send(
                Stories.subscription("new\(round)", .active, minute: 2 + Int64(round), key: Stories.key("0"))
            )
            before = page.next
            if before == nil { break }
        }
        #expect(before == nil && found == expected.reversed())
    }

    /// A page follows the newest of many contracts and orders with as little as of one.
    @Test func aHistoryOfManyThousandIsRead() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Stories.subscription("e1", .active), claim: Claim(user: "42"))
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
        let answer = Promise<Result<UserEvents, LedgerError>>()
        let stream = StreamPattern.standard.stream(for: user)
        let isAsked = reader.userEvents(
            of: user,
            shownOn: stream,
            before: before?.position,
            limit: limit,
            completion: answer.fulfil
        )
        guard isAsked else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    func record(_ user: UserID) throws -> UserRecord {
        let answer = Promise<Result<UserRecord, LedgerError>>()
        guard reader.record(of: user, completion: answer.fulfil) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    func orderRecord(_ token: OrderToken) throws -> OrderRecord? {
        let answer = Promise<Result<(order: OrderRecord?, head: Cursor), LedgerError>>()
        guard reader.order(token, completion: answer.fulfil) else { throw LedgerError.busy }
        return try answer.wait().get().order
    }
}

import Domain
import TestSupport
import Testing

@testable import Ledger

/// Bodies are stored as what they say, and everybody who reads one gets it as it came.
@Suite(.blocking) struct SharedHeaderTests {
    private static let header = SignedBody.header()

    private func event(_ number: Int) -> Event {
        var event = Fixture.subscription("e\(number)", state: .active, minute: Int64(number))
        event.body = SignedBody.notification(outer: Self.header, inner: Self.header)
        event.header = Self.header
        return event
    }

    private func headers(in ledger: TemporaryLedger) throws -> [Int64] {
        let connection = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        return try connection.prepare(
            """
            SELECT count(*) FROM headers
            UNION ALL SELECT count(*) FROM events WHERE header IS NOT NULL
            UNION ALL SELECT sum(length(body)) FROM events
            """
        ).all { row in row.integer(0) }
    }

    @Test func everybodyReadsTheBodyAsItCame() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var events = (1...4).map { event($0) }
        events[3].jobs = [
            Job(
                kind: .forward,
                provider: .apple,
                environment: .production,
                app: "com.example",
                subject: "https://staging.example.com"
            )
        ]
        for event in events { _ = try ledger.send(event) }
        #expect(try ledger.events(EventSelection()).map(\.body) == events.map(\.body))
        #expect(try ledger.events(EventSelection(ids: ["e3"])).map(\.body) == [events[2].body])
        #expect(try ledger.jobs(dueAt: Fixture.now + .seconds(86_400)).map(\.body) == [events[3].body])
    }

    @Test func headerIsStoredOnce() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        for number in 1...5 { _ = try ledger.send(event(number)) }
        let (rows, references) = (try headers(in: ledger)[0], try headers(in: ledger)[1])
        #expect(rows == 1 && references == 5)
        #expect(try headers(in: ledger)[2] < 10_000)
        ledger.close()
        let again = try TemporaryLedger(at: ledger.path, kind: .file)
        defer { again.close() }
        for number in 6...8 { _ = try again.send(event(number)) }
        #expect(try headers(in: again)[0] == 1)
        #expect(try again.events(EventSelection()).map(\.body.count) == (1...8).map { event($0).body.count })
    }

    /// Nobody has proven that it is a store's, so it may name somebody, and is emptied with its body. Or it has not come before.
    @Test func headerThatIsNotToldIsNotShared() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        for number in 1...5 {
            var event = event(number)
            event.header = nil
            _ = try ledger.send(event)
        }
        #expect(try headers(in: ledger).prefix(2) == [0, 0])
    }

    @Test func emptiedBodyStaysEmpty() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for number in 1...4 { _ = try ledger.send(event(number)) }
        try ledger.emptyOld(before: Fixture.now + .seconds(86_400))
        #expect(try ledger.events(EventSelection()).map(\.body.isEmpty) == [true, true, true, true])
    }

    /// As before this form existed.
    @Test func bodyThatWasStoredAsItCameIsRead() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        _ = try ledger.send(event(1))
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
        let body = event(1).body
        try connection.prepare("UPDATE events SET body = ?").run([.bytes(body)])
        #expect(try ledger.events(EventSelection()).map(\.body) == [body])
    }

    /// By name, since nothing else would tell a damaged body from one that was emptied.
    @Test func damagedBodyIsAnError() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        for number in 1...2 { _ = try ledger.send(event(number)) }
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
        try connection.execute("UPDATE events SET header = NULL WHERE position = 2")
        #expect(throws: LedgerError.self) { try ledger.events(EventSelection()) }
    }
}

import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// All entries, newest first, page by page.
@Suite(.blocking) struct NewestEntriesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var selection = EntrySelection.all
        var after: Int64 = 0
        var before: Int64?
        var limit = 10
        var found: [String]
        var through: Int64
        var testDescription: String { name }
    }

    private static let cases = [
        Case(name: "all", found: ["e4", "e3", "e2", "e1"], through: 0),
        Case(name: "a page", limit: 2, found: ["e4", "e3"], through: 2),
        Case(name: "the next page", before: 3, limit: 2, found: ["e2", "e1"], through: 0),
        Case(name: "since", after: 2, found: ["e4", "e3"], through: 2),
        Case(name: "nothing since", after: 4, found: [], through: 4),
        Case(name: "ahead of the ledger", before: 99, found: ["e4", "e3", "e2", "e1"], through: 0),
        Case(name: "stale ones", selection: EntrySelection(outcome: "stale"), found: ["e3"], through: 0),
        Case(name: "a user's", selection: EntrySelection(user: "42"), limit: 2, found: ["e3", "e2"], through: 1),
        Case(name: "a user's before", selection: EntrySelection(user: "42"), before: 2, found: ["e1"], through: 0),
        Case(name: "of nobody", selection: EntrySelection(user: "43"), found: [], through: 0),
        Case(name: "another store's", selection: EntrySelection(provider: "google"), found: [], through: 0),
    ]

    @Test(arguments: cases) func pages(_ given: Case) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 2))
        _ = try ledger.send(Fixture.subscription("e3", state: .active, minute: 1))
        _ = try ledger.send(Fixture.subscription("e4", state: .active, key: Fixture.key("2")))
        let page = try ledger.newest(given.selection, after: given.after, before: given.before, limit: given.limit)
        #expect(page.entries.compactMap(\.notice.event) == given.found)
        #expect(page.through == given.through && page.head.position == 4)
    }

    /// What matches nothing is looked for in a bounded part of a long ledger, and the page says where to go on.
    @Test func aLongLedgerIsReadPartByPart() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(5))
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
            INSERT INTO entries (committed_at, kind, provider, environment, event, outcome)
                SELECT i, 'provider.test', 'apple', 'Production', 'e' || i, iif(i = 5, 'stale', 'ignored') FROM n;
            """
        )
        let first = try ledger.newest(EntrySelection(outcome: "stale"), limit: 10)
        #expect(first.entries.isEmpty && first.through == 10_000)
        let second = try ledger.newest(EntrySelection(outcome: "stale"), before: first.through + 1, limit: 10)
        #expect(second.entries.map(\.position) == [5] && second.through == 0)
    }
}

extension TemporaryLedger {
    func newest(
        _ selection: EntrySelection,
        after: Int64 = 0,
        before: Int64? = nil,
        limit: Int
    ) throws -> EntryPage {
        try reader.answer { try $0.newest(selection, after: after, before: before, limit: limit) }
    }
}

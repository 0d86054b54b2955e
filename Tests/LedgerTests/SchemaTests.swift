import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

@Suite(.timeLimit(.minutes(30)), .blocking) struct SchemaTests {
    @Test func newerSchemaIsRefused() throws {
        let ledger = try TemporaryLedger(kind: .file)
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("PRAGMA user_version = 99")
        #expect(throws: LedgerError.newerSchema(found: 99, supported: SQLiteSchema.newest)) {
            try TemporaryLedger(at: ledger.path, kind: .file)
        }
        ledger.remove()
    }

    @Test func migrationRunsOnce() throws {
        let ledger = try TemporaryLedger(kind: .file)
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try SQLiteSchema.migrate(connection)
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        let version = try connection.prepare("PRAGMA user_version").first { row in row.integer(0) }
        #expect(version == SQLiteSchema.newest)
        ledger.remove()
    }

    /// A migration keeps what a ledger of the first version holds: contracts, events, and the fragments that pages
    /// resume from.
    @Test func versionOneIsBroughtUpToDate() throws {
        let path = TemporaryLedger.newPath()
        let old = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
        try old.execute(
            "PRAGMA journal_mode = WAL; BEGIN; \(SQLiteSchema.migrations[0]); PRAGMA user_version = 1; COMMIT"
        )
        let token = "a5af9b36-0e4d-4665-8351-0e4003752165"
        let end = TemporaryLedger.start.milliseconds + 86_400_000
        try old.execute(
            """
            INSERT INTO meta VALUES ('epoch', 'abcdefgh'), ('unclaimed', '1');
            INSERT INTO orders VALUES ('\(token)', '42', 'monthly', NULL, NULL, NULL, 1);
            INSERT INTO entries (position, committed_at, kind, provider, environment, event, outcome, user, contract)
                VALUES (1, 1, 'subscription.started', 'apple', 'Production', 'e1', 'applied', '42', '1');
            INSERT INTO events VALUES (1, 'apple', 'Production', 'e1', 'com.example', 1, 1, x'7B7D');
            INSERT INTO contracts (provider, environment, app, lineage, kind, user, is_family_shared, token, token_at,
                app_transaction, app_transaction_at, snapshot_event, snapshot_state, snapshot_product,
                snapshot_auto_renew, snapshot_access_until, snapshot_signed_at, state, product, access_until, ends_at)
            VALUES
                ('apple', 'Production', 'com.example', '1', 'subscription', '42', 0, '\(token)', 1, 'download', 1,
                    'e1', 'active', 'monthly', 1, \(end), 1, 'active', 'monthly', \(end), \(end)),
                ('apple', 'Production', 'com.example', '2', 'subscription', NULL, 0, NULL, NULL, 'other', 1,
                    'e0', 'active', 'monthly', 1, \(end), 1, 'active', 'monthly', \(end), \(end))
            """
        )
        let ledger = try TemporaryLedger(at: path, kind: .file)
        defer { ledger.remove() }
        #expect(ledger.writer.epoch == "abcdefgh")
        #expect(try ledger.entitlements("42").entitlements.map(\.contract) == ["1"])
        #expect(try ledger.entitlements("42").isActive)
        #expect(try ledger.events(EventSelection(user: "42")).map(\.id) == ["e1"])
        // The same buyer's next purchase, and a renewal without a token, still belong to the user.
        var other = Fixture.subscription("e2", state: .active, key: Fixture.key("3"))
        other.observation?.account = "download"
        #expect(try ledger.send(other).outcome == .applied)
        #expect(try ledger.send(Fixture.subscription("e3", state: .cancelled, minute: 2)).outcome == .applied)
        #expect(try ledger.entitlements("42").entitlements.map(\.contract).sorted() == ["1", "3"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 1"))
    }

    @Test func folderThatDoesNotExistIsNamed() {
        #expect(throws: LedgerError.self) { try TemporaryLedger(at: "/nowhere/ledger.db", kind: .file) }
    }
}

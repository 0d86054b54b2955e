import Domain
import Synchronization
import TestSupport

@testable import Ledger

/// A ledger in a file that is full of everything, and a database of its own in a real PostgreSQL.
final class CopyFixture {
    let folder = TemporaryFolder()
    let cluster: PostgresCluster
    let database: String

    private static let count = Mutex(0)

    init(rows: Int = 0) throws {
        cluster = try PostgresCluster.shared()
        database = "copy\(CopyFixture.count.withLock { $0 += 1; return $0 })"
        try cluster.psql("CREATE DATABASE \(database)")
        let ledger = try TemporaryLedger(at: path, kind: .file)
        _ = try ledger.order(OrderRequest(user: "kim", product: "monthly"))
        for number in Int64(1)...3 {
            _ = try ledger.send(Fixture.subscription("e\(number)", state: .active, minute: number))
        }
        ledger.close()
        if rows > 0 { try run(CopyFixture.filling(rows)) }
    }

    var path: String { folder.path("paycast.db") }
    var file: DatabaseURL { .sqlite(path: path) }
    var back: DatabaseURL { .sqlite(path: folder.path("back.db")) }
    var postgres: DatabaseURL { .postgres("postgres://paycast@\(cluster.place)/\(database)") }

    /// In the ledger's file.
    func run(_ sql: String, at path: String? = nil) throws {
        let connection = try SQLiteConnection(path: path ?? self.path, access: .readWrite, lockTimeout: .zero)
        try connection.execute(sql)
    }

    @discardableResult
    func psql(_ sql: String) throws -> String { try cluster.psql(sql, database: database) }

    /// Copies, and returns the lines of its progress; `onLine` sees each of them first.
    @discardableResult
    func copy(
        from: DatabaseURL,
        to: DatabaseURL,
        onLine: (String) -> Void = { _ in }
    ) throws -> (result: CopyResult, lines: [String]) {
        var lines: [String] = []
        let result = try LedgerCopier.run(from: from, to: to) { line in
            lines.append(line)
            onLine(line)
        }
        return (result, lines)
    }

    /// Entries, events and fragments after those that are there.
    private static func filling(_ rows: Int) -> String {
        """
        CREATE TEMP TABLE numbers AS
            WITH RECURSIVE list(n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM list WHERE n < \(1000 + rows))
            SELECT n FROM list;
        INSERT INTO entries (position, committed_at, kind, provider, environment, event, user)
            SELECT n, n, 'subscription.renewed', 'apple', 'Production', 'f' || n, 'user-' || (n % 100) FROM numbers;
        INSERT INTO events SELECT n, 'apple', 'Production', 'f' || n, 'com.example', n, n, randomblob(2000), NULL, NULL
            FROM numbers;
        INSERT INTO fragments (stream, collapse_key, position, ordinal, action, content)
            SELECT 'user:' || (n % 100), '', n, 0, 'append', 'html' FROM numbers;
        INSERT INTO locales SELECT 'user-' || n, 'de', 'Europe/Berlin' FROM numbers;
        """
    }
}

import TestSupport
import Testing

@testable import Ledger
@testable import PostgresLedger

/// What is copied comes from the catalogs of both databases, so that nothing can be forgotten.
@Suite(.timeLimit(.minutes(30)), .blocking, .enabled(if: PostgresCluster.isInstalled)) struct LedgerTableTests {
    private struct Sides {
        let fixture: CopyFixture
        let file: SQLiteSide
        let postgres: PostgresSide

        init() throws {
            fixture = try CopyFixture()
            file = try SQLiteSide.source(fixture.path)
            guard case .postgres(let url) = fixture.postgres else { throw CopyError.missing("a database") }
            postgres = try PostgresSide.target(PostgresURL(url))
            try postgres.createTables()
        }
    }

    @Test func bothEnginesHaveTheSameTables() throws {
        let sides = try Sides()
        let tables = try sides.file.tables()
        #expect(LedgerTable.difference(tables, try sides.postgres.tables()) == nil)
        let all = try sides.file.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY 1",
            [],
            as: [.text]
        )
        #expect(tables.map(\.name) == all.map { $0[0].word })
        let own = ["event_ids", "head", "leases", "nodes", "writers"]
        let server = try sides.fixture.psql(
            """
            SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
                AND relnamespace = 'paycast'::regnamespace
            """
        )
        #expect(server.split(separator: "\n").map(String.init).sorted() == (tables.map(\.name) + own).sorted())
    }

    @Test func whatIsReferredToComesFirst() throws {
        let sides = try Sides()
        let names = LedgerTable.inOrder(try sides.file.tables()).map(\.name)
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        #expect(places["entries", default: 99] < places["events", default: 0])
        #expect(places["contracts", default: 99] < places["events", default: 0])
        #expect(places["contracts", default: 99] < places["tokens", default: 0])
        #expect(names.count == places.count)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var sql: String
        var problem: String

        var testDescription: String { sql }
    }

    /// A table or a column that one engine has and the other one lacks is not passed over.
    @Test(arguments: [
        Change(
            sql: "CREATE TABLE paycast.gifts (id BIGINT PRIMARY KEY)",
            problem: "the source has no table gifts"
        ),
        Change(
            sql: "ALTER TABLE paycast.orders ADD COLUMN note TEXT",
            problem: "the table orders has other columns, or another key, in the target"
        ),
        Change(sql: "DROP TABLE paycast.marks", problem: "the target has no table marks"),
        Change(
            sql: "CREATE TABLE paycast.prices (id BIGINT PRIMARY KEY, price DOUBLE PRECISION)",
            problem: "the column prices.price has the type float8, which is not copied"
        ),
    ]) func aTableOfOneEngineIsRefused(_ change: Change) throws {
        let fixture = try CopyFixture()
        guard case .postgres(let url) = fixture.postgres else { return }
        try PostgresSide.target(PostgresURL(url)).createTables()
        try fixture.psql(change.sql)
        #expect(throws: CopyError.tables(change.problem)) { try fixture.copy(from: fixture.file, to: fixture.postgres) }
    }
}

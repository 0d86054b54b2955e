import TestSupport
import Testing

@testable import Ledger

/// A copy knows SQLite's tables: PostgreSQL has the same, so that nothing can be forgotten.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct CopiedTableTests {
    /// `table.column` of every column, and `#` with its place for those of the primary key.
    private func described() throws -> [String] {
        try CopiedTable.all().flatMap { table in
            table.columns.enumerated().map { index, column in
                "\(table.name).\(column.name) \(column.kind)"
                    + (index < table.keyCount ? " #\(index + 1)" : "")
            }
        }.sorted()
    }

    @Test func leaveOutWhatTheDatabaseComputes() throws {
        let jobs = try #require(try CopiedTable.all().first { $0.name == "jobs" })
        #expect(jobs.columns.map(\.name).first == "id")
        #expect(jobs.keyCount == 1)
        #expect(!jobs.columns.contains { $0.name == "destination" })
    }

    @Test func namesEveryColumnOfPostgreSQL() throws {
        let fixture = try CopyFixture()
        guard case .postgres(let url) = fixture.postgres else { return }
        try PostgresSide(PostgresURL(url), isTarget: true).createTables()
        let columns = try fixture.psql(
            """
            SELECT tables.relname || '.' || columns.attname || ' '
                || CASE types.typname WHEN 'bytea' THEN 'bytes' WHEN 'int8' THEN 'integer' ELSE types.typname END
                || COALESCE(' #' || array_position(CAST(keys.indkey AS int2[]), columns.attnum) + 1, '')
            FROM pg_class AS tables
            JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum > 0
            JOIN pg_type AS types ON types.oid = columns.atttypid
            LEFT JOIN pg_index AS keys ON keys.indrelid = tables.oid AND keys.indisprimary
            WHERE tables.relnamespace = 'paycast'::regnamespace AND tables.relkind IN ('r', 'p')
                AND NOT tables.relispartition AND columns.attgenerated = ''
                AND tables.relname NOT IN ('head', 'writers', 'nodes', 'leases', 'event_ids')
            """
        )
        #expect(columns.split(separator: "\n").map(String.init).sorted() == (try described()))
    }
}

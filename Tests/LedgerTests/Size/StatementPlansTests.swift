import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

/// Every statement finds its rows by an index, so that a hundred million events make none slower.
@Suite(.blocking) struct StatementPlansTests {
    /// The newest partition is nearly full.
    private static let entries: Int64 = 119_000
    private static let partitionSize: Int64 = 20_000
    /// One row, or as many as there are nodes or stores; and whose pages were ended, which a start reads whole.
    private static let small: Set = ["head", "meta", "nodes", "writers", "leases", "marks", "ended_pages"]

    @Test(arguments: [false, true]) func inSQLite(isAnalyzed: Bool) throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        _ = try ledger.send(StatementPlansTests.event, claim: Claim(user: FilledLedger.user))
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
        let filled = FilledLedger(entries: StatementPlansTests.entries, isShared: false)
        for sql in filled.slices.joined() + filled.others { try connection.execute(sql) }
        if isAnalyzed { try connection.execute("ANALYZE") }
        let statements = try EveryStatement(on: connection)
        let texts = withExtendedLifetime(statements) { connection.preparedTexts }
        #expect(texts.count > 190)
        #expect(try statements.placesLeftOut().isEmpty)
        for text in texts where ["SELECT", "UPDATE", "INSERT", "DELETE"].contains(where: text.hasPrefix) {
            let plan = try connection.prepare("EXPLAIN QUERY PLAN " + text).all { row in row.text(3) }
            // The limited list of jobs that are counted, and what a start reads.
            let growing = plan.filter { line in
                line.hasPrefix("SCAN") && !["SCAN waiting", "SCAN ended_pages"].contains(line)
                    || line.hasSuffix("TEMP B-TREE FOR ORDER BY")
            }
            #expect(growing.isEmpty, "\(text): \(plan)")
            expectOrder(of: text)
        }
    }

    @Test(.enabled(if: PostgresCluster.isInstalled)) func inPostgreSQL() throws {
        let cluster = try PostgresCluster(["max_wal_size=4GB"])
        let filled = try FilledPostgres(
            cluster,
            entries: StatementPlansTests.entries,
            partitionSize: StatementPlansTests.partitionSize
        )
        let connection = filled.connection
        let statements = try EveryStatement(on: connection)
        try askAsANode(connection)
        let texts = withExtendedLifetime(statements) { connection.postgres.preparedTexts }
        for text in texts where ["SELECT", "UPDATE", "INSERT", "DELETE"].contains(where: text.hasPrefix) {
            // So that no partition is left out of what is looked at.
            let plan = try filled.plan(of: text, isPruned: false)
            let growing = plan.growing(reserve: filled.reserve).filter { line in
                !StatementPlansTests.small.contains { line == "reads all of \($0)" }
            }
            #expect(growing.isEmpty, "\(text)")
            expectOrder(of: text)
        }
    }

    /// What a node of several asks besides.
    private func askAsANode(_ connection: PostgresLedgerConnection) throws {
        let membership = PostgresMembership(connection)
        _ = try membership.renew()
        membership.resign()
        _ = try membership.report()
        try connection.begin()
        _ = try connection.holds(.only)
        try connection.rollback()
        _ = try connection.head()
    }

    /// What is asked for by position concerns one partition, or two.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func otherPartitionsAreLeftOut() throws {
        let cluster = try PostgresCluster(["max_wal_size=4GB"])
        let filled = try FilledPostgres(cluster, entries: 10_000, partitionSize: 1000)
        let partitions = 12
        for (sql, values) in [
            ("SELECT position FROM entries WHERE position = $1", ["5500"]),
            ("SELECT position FROM entries WHERE position > $1 ORDER BY position LIMIT $2", ["9500", "10"]),
            ("SELECT position FROM fragments WHERE position > $1 AND position <= $2", ["5500", "5600"]),
            ("UPDATE events SET body = '' WHERE position = $1", ["5500"]),
        ] {
            let pruned = try filled.plan(of: sql, values: values).pruned
            #expect(pruned >= partitions - 3, "\(sql)")
        }
    }

    /// A limit needs an order: else nobody knows which rows are left out. Erasures come back for the rest.
    private func expectOrder(of text: String) {
        let isAsked = text.hasPrefix("SELECT 1 ")
        let isErasure = text.hasSuffix("LIMIT ?2") || text.hasSuffix("LIMIT $2")
        #expect(!text.contains("LIMIT") || text.contains("ORDER BY") || isAsked || isErasure, "\(text)")
    }

    static let event = Fixture.subscription("e0", state: .active, key: Fixture.key("c0"))
}

import Domain
import Support

/// Asks a PostgreSQL server about the ledger that it keeps. It only reads.
public enum PostgresInspection {
    public static func report(at url: PostgresURL) throws(EngineError) -> SharedLedgerReport {
        var options = PostgresNodeState.options(schema: "paycast")
        options.applicationName = "paycast doctor"
        let postgres = PostgresConnection(url, options: options)
        try PostgresSchema.checkEncoding(postgres)
        return try report(postgres, asker: nil)
    }

    /// Over a connection that is in no transaction.
    static func report(_ postgres: PostgresConnection, asker: String?) throws(EngineError) -> SharedLedgerReport {
        try postgres.begin()
        defer { postgres.rollback() }
        var report = SharedLedgerReport()
        report.asker = asker
        _ = try postgres.prepare(server).first { row in
            report.now = Instant(milliseconds: row.integer(1))
            report.clockAhead = Clock().now().milliseconds - row.integer(1)
            report.version = row.text(0)
            report.queuePercent = row.integer(2)
            report.standbys = row.integer(3)
            report.lagBytes = row.isNull(4) ? nil : row.integer(4)
            report.replication =
                !row.text(5).isEmpty
                ? .synchronous : report.standbys > 0 ? .asynchronous : SharedLedgerReport.Replication.none
        }
        report.isPooled = postgres.isPooled
        report.isUnfinishedCopy = try PostgresSchema.hasTable(postgres, UnfinishedCopy.table)
        guard try PostgresSchema.hasTable(postgres, "nodes") else { return report }
        report.refusal = try postgres.prepare(StoredSchema.query).first { row in StoredSchema(row.text(0)) }?.refusal
        guard report.refusal == nil else { return report }
        report.nodes = try postgres.prepare(nodes).all { row in
            SharedLedgerReport.Node(
                name: row.text(0),
                version: row.text(1),
                silentSeconds: row.integer(2),
                leads: row.integer(3) > 0,
                settings: NodeSettings(row.text(4))
            )
        }
        return report
    }

    private static let server = """
        SELECT split_part(current_setting('server_version'), ' ', 1),
            CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT),
            CAST(floor(pg_notification_queue_usage() * 100) AS BIGINT),
            (SELECT count(*) FROM pg_stat_replication),
            (SELECT CAST(max(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)) AS BIGINT) FROM pg_stat_replication),
            current_setting('synchronous_standby_names')
        """

    /// The settings by way of JSON: a ledger that an older version has made has no such column.
    private static let nodes = """
        SELECT node, version, CAST(extract(epoch FROM clock_timestamp() - seen_at) AS BIGINT),
            (SELECT count(*) FROM leases WHERE leases.node = nodes.node AND ends_at > clock_timestamp()),
            COALESCE(to_jsonb(nodes) ->> 'settings', '')
        FROM nodes WHERE seen_at > clock_timestamp() - interval '1 minute' ORDER BY node
        """
}

public import Postgres

/// What a PostgreSQL server says of the ledger that it keeps, for whoever looks for a fault. It only reads.
public struct PostgresInspection: Sendable, Equatable {
    public struct Node: Sendable, Equatable {
        public var name: String
        /// How long ago it said that it lives.
        public var silentSeconds: Int64
        /// Whether it does the work that one node does for all.
        public var leads: Bool
    }

    /// Such as `15.14`.
    public var version = ""
    /// Milliseconds since 1970, by the server's clock.
    public var now: Int64 = 0
    /// How much of the notification queue is filled, in percent. When it is full, commits that notify fail.
    public var queuePercent: Int64 = 0
    /// Standbys that follow, and how many bytes the last one of them is behind; -1 when this user may not know.
    public var standbys: Int64 = 0
    public var lagBytes: Int64 = 0
    /// Whether a commit waits for a standby.
    public var isSynchronous = false
    /// Those of the last minute. Empty when there is no ledger yet.
    public var nodes: [Node] = []

    public init(_ url: PostgresURL) throws(PostgresError) {
        var options = PostgresOptions(applicationName: "paycast doctor")
        options.settings = [("search_path", "paycast")]
        let postgres = PostgresConnection(url, options: options)
        let server = postgres.prepare(
            """
            SELECT current_setting('server_version'), CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT),
                CAST(pg_notification_queue_usage() * 100 AS BIGINT),
                (SELECT count(*) FROM pg_stat_replication),
                (SELECT CAST(COALESCE(max(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)), -1) AS BIGINT)
                    FROM pg_stat_replication),
                CASE WHEN current_setting('synchronous_standby_names') = '' THEN 0 ELSE 1 END
            """
        )
        try postgres.begin()
        defer { postgres.rollback() }
        let told = try server.first { row in
            (version: row.text(0), numbers: (1..<6).map { row.integer($0) })
        }
        guard let told else { return }
        version = told.version
        now = told.numbers[0]
        queuePercent = told.numbers[1]
        standbys = told.numbers[2]
        lagBytes = told.numbers[3]
        isSynchronous = told.numbers[4] == 1
        guard try postgres.prepare("SELECT to_regclass('nodes') IS NOT NULL").first(read: { $0.integer(0) }) == 1 else {
            return
        }
        let living = postgres.prepare(
            """
            SELECT node, CAST(extract(epoch FROM clock_timestamp() - seen_at) AS BIGINT),
                (SELECT count(*) FROM leases WHERE leases.node = nodes.node AND ends_at > clock_timestamp())
            FROM nodes WHERE seen_at > clock_timestamp() - interval '1 minute' ORDER BY node
            """
        )
        nodes = try living.all { row in
            Node(name: row.text(0), silentSeconds: row.integer(1), leads: row.integer(2) > 0)
        }
    }
}

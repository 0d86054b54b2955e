/// Which line of transactions a database is on. A promoted standby and a recovery to a point in time begin a new timeline,
/// another server has another system identifier, and a restored dump has other tables. A restart keeps all three.
struct DatabaseTimeline: Equatable {
    /// Nil where this user may not ask.
    var system: String?
    /// As eight hexadecimal digits; nil where this user may not ask.
    var timeline: String?
    /// The object identifier of the table `head`.
    var table: String

    /// The text in the table `meta`.
    var description: String { "\(system ?? "-")/\(timeline ?? "-")/\(table)" }

    /// Ignores what is unknown on one side.
    func isSame(as other: DatabaseTimeline) -> Bool {
        let pairs = [(system, other.system), (timeline, other.timeline), (table, other.table)]
        return pairs.allSatisfy { $0.0 == nil || $0.1 == nil || $0.0 == $0.1 }
    }

    /// With what another user was allowed to ask.
    func completed(by other: DatabaseTimeline?) -> DatabaseTimeline {
        DatabaseTimeline(system: system ?? other?.system, timeline: timeline ?? other?.timeline, table: table)
    }

    /// Asks in the transaction that runs, on a server that takes writes.
    static func read(_ postgres: PostgresConnection) throws(EngineError) -> DatabaseTimeline {
        DatabaseTimeline(
            system: try allowed("SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()", postgres),
            // The control file names the timeline of the last checkpoint, which may be the former one.
            timeline: try allowed("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)", postgres),
            table: try text("SELECT CAST(CAST(to_regclass('head') AS OID) AS TEXT)", postgres) ?? ""
        )
    }

    /// Nil when a managed service forbids the function, or has none.
    private static func allowed(_ sql: String, _ postgres: PostgresConnection) throws(EngineError) -> String? {
        try postgres.execute("SAVEPOINT timeline")
        do throws(EngineError) {
            return try text(sql, postgres)
        } catch {
            guard [.denied, .serverFault, .statement].contains(error.kind) else { throw error }
            try postgres.execute("ROLLBACK TO timeline")
            return nil
        }
    }

    private static func text(_ sql: String, _ postgres: PostgresConnection) throws(EngineError) -> String? {
        try postgres.prepare(sql).first { row in row.text(0) }
    }
}

extension DatabaseTimeline {
    /// Reads `description`. Anything else that somebody has written there counts as another timeline.
    init(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { $0 == "-" ? nil : String($0) }
        let isOurs = parts.count == 3
        self.init(system: isOurs ? parts[0] : "", timeline: isOurs ? parts[1] : "", table: isOurs ? parts[2] ?? "" : "")
    }
}

/// What a node that starts does about the timeline that it finds. Pure.
enum TimelineDecision: Equatable {
    /// Nothing has happened, or a living node has seen the change and lost nothing.
    case goOn
    /// Nobody has written one down yet.
    case remember
    /// A living node may be about to say that nothing is lost.
    case wait
    /// Nobody knows whether commits are gone, so no cursor may count any more.
    case changeEpoch

    /// `stored` is what the nodes have last written down; `witnesses` counts nodes that were alive recently and have not
    /// signed off.
    init(stored: DatabaseTimeline?, found: DatabaseTimeline, witnesses: Int, isPatient: Bool) {
        guard let stored else {
            self = .remember
            return
        }
        if stored.isSame(as: found) {
            self = .goOn
        } else {
            self = witnesses > 0 && isPatient ? .wait : .changeEpoch
        }
    }
}

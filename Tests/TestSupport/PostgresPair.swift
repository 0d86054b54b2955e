/// A primary and a real standby, which can be cut off, and then be promoted.
public final class PostgresPair: Sendable {
    public let primary: PostgresCluster
    public let standby: PostgresCluster
    private let proxy: CuttingProxy

    /// Waits until the standby follows. With `isSynchronous`, a commit waits for it. `settings` are the primary's.
    public init(isSynchronous: Bool = false, settings: [String] = []) throws {
        let replication = isSynchronous ? ["synchronous_standby_names=ANY 1 (*)"] : []
        primary = try PostgresCluster(["full_page_writes=on"] + replication + settings)
        // pg_rewind needs the log since the histories parted, and PostgreSQL's recovery before it reads only this file.
        try primary.psql("ALTER SYSTEM SET wal_keep_size = '1GB'")
        try primary.psql("SELECT pg_reload_conf()")
        proxy = CuttingProxy(toPort: primary.port)
        standby = try primary.standby(through: proxy.port)
        try waitForReplay()
    }

    /// For nodes: whichever of the two takes writes.
    public var url: String {
        "postgres://paycast@\(primary.place),\(standby.place)/postgres?target_session_attrs=read-write"
    }

    /// Waits until the standby has everything that the primary has committed.
    public func waitForReplay() throws {
        let position = try primary.psql("SELECT pg_current_wal_lsn()")
        try standby.waitForReplay(of: position)
    }

    /// From now on the standby gets nothing.
    public func cutOff() { proxy.cut(after: 0, .toClient) }

    public func reconnect() { proxy.restore() }

    /// The former primary is rewound to what it had in common with the promoted standby, follows that until it has
    /// everything, and takes over again.
    public func failBack() throws {
        try primary.rewind(to: standby)
        let position = try standby.psql("SELECT pg_current_wal_lsn()")
        try primary.waitForReplay(of: position)
        try standby.stop()
        try primary.promote()
    }

    /// `kill -9` of the primary, and the standby takes over.
    public func failOver() throws {
        try primary.kill()
        try standby.promote()
    }

    /// `kill -9` of the primary, and the standby restarts as a primary, which its timeline does not show.
    public func failOverOnTheSameTimeline() throws {
        try primary.kill()
        try standby.restartAsPrimary()
    }
}

/// How a connection behaves. Every wait has an end: the server's by the settings of its session, ours by `answer`.
public struct PostgresOptions: Sendable {
    /// As `pg_stat_activity` shows it.
    public var applicationName = "paycast"
    /// For each host.
    public var connect: Duration = .seconds(5)
    public var statement: Duration = .seconds(20)
    public var lock: Duration = .seconds(10)
    /// A node that is frozen inside a transaction stops the others no longer than this.
    public var idleInTransaction: Duration = .seconds(10)
    /// How long all that is queued may take until it has been answered. After that the connection is given up: no
    /// statement is cancelled, since a cancelled COMMIT may be answered as if it were safe.
    public var answer: Duration = .seconds(30)
    /// The same for what a COMMIT is sent with. Its standby may be away.
    public var commit: Duration = .seconds(30)
    /// How long sent bytes may stay unacknowledged.
    public var unacknowledged: Duration = .seconds(10)
    /// Refuses a server that does not take writes.
    public var isWriter = true
    /// More settings of the session, such as `synchronous_commit`.
    public var settings: [(name: String, value: String)] = []

    public init(applicationName: String = "paycast") {
        self.applicationName = applicationName
    }

    /// What each session is set to.
    var session: [(name: String, value: String)] {
        [
            ("statement_timeout", "\(statement.wholeMilliseconds)"),
            ("lock_timeout", "\(lock.wholeMilliseconds)"),
            ("idle_in_transaction_session_timeout", "\(idleInTransaction.wholeMilliseconds)"),
            // What the server itself does about a client that has vanished while it is being sent rows.
            ("tcp_user_timeout", "\(unacknowledged.wholeMilliseconds)"),
            ("client_connection_check_interval", "\(unacknowledged.wholeMilliseconds)"),
            // A commit that is not safe on its standby is told by a warning.
            ("client_min_messages", "warning"),
        ] + settings
    }

    /// As the startup packet takes it: spaces and backslashes are escaped by a backslash
    /// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNECT-OPTIONS).
    var words: String {
        session.map { name, value in
            "-c \(name)=" + value.map { $0 == " " || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        }.joined(separator: " ")
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

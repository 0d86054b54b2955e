import Domain

/// The settings of a connection. Every wait has a limit: the server's by the settings of its session, ours by `answer`.
public struct PostgresOptions: Sendable {
    /// The name in `pg_stat_activity`.
    public var applicationName = "paycast"
    /// The time limit for each host. A `connect_timeout` in the URL counts instead, if it is shorter or `waitsAsTold`.
    public var connect: Duration = .seconds(5)
    /// False if others wait meanwhile.
    var waitsAsTold = true
    public var statement: Duration = .seconds(20)
    public var lock: Duration = .seconds(10)
    /// A node that freezes inside a transaction stops the others for no longer than this.
    var idleInTransaction: Duration = .seconds(10)
    /// The time within which everything that is queued must be answered. After that the connection is dropped: no
    /// statement is cancelled, because a cancelled COMMIT may be answered as if it were safe.
    public var answer: Duration = .seconds(30)
    /// The time within which a COMMIT, and what is sent with it, must be answered. Its standby may be unavailable.
    public var commit: Duration = .seconds(30)
    /// The time for which sent bytes may stay unacknowledged.
    public var unacknowledged: Duration = .seconds(10)
    /// Refuses a server that accepts no writes.
    public var isWriter = true
    /// Further settings of the session, such as `synchronous_commit`.
    public var settings: [(name: String, value: String)] = []

    public init(applicationName: String = "paycast") {
        self.applicationName = applicationName
    }

    /// All settings of a session.
    var session: [(name: String, value: String)] {
        [
            ("statement_timeout", "\(statement.milliseconds)"),
            ("lock_timeout", "\(lock.milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(idleInTransaction.milliseconds)"),
            // How the server treats a client that vanishes while it is being sent rows.
            ("tcp_user_timeout", "\(unacknowledged.milliseconds)"),
            ("client_connection_check_interval", "\(unacknowledged.milliseconds)"),
            // The server reports a commit that is not safe on its standby by a warning.
            ("client_min_messages", "warning"),
        ] + settings
    }

    /// The form that the startup packet takes: a backslash escapes spaces and backslashes
    /// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNECT-OPTIONS).
    var words: String {
        session.map { name, value in
            "-c \(name)=" + value.map { $0 == " " || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        }.joined(separator: " ")
    }
}

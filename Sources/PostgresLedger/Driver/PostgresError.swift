/// A refusal by PostgreSQL, or the reason why it did not answer. It contains neither bound values nor the password.
public struct PostgresError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// The connection is gone, and its transaction with it: none of it was committed.
        case connectionLost
        /// The connection was lost after COMMIT had been sent: the transaction was committed, will be, or never was.
        case outcomeUnknown
        /// Committed on this server, but somebody cancelled the wait for its standby, so a failover may lose it. A
        /// later commit that waits to the end makes this one safe, too: standbys replay in order.
        case notReplicated
        /// The server is a standby, or a primary that has become one.
        case readOnly
        /// Another transaction was in the way.
        case retry
        case unique
        case full
        case tooManyConnections
        case shuttingDown
        /// The server itself failed: its disk, its files or its code.
        case serverFault
        /// A partitioned table has none for a row.
        case noPartition
        /// The user, the password, the database or the rights to it are wrong.
        case denied
        case other
    }

    public let kind: Kind
    /// https://www.postgresql.org/docs/15/errcodes-appendix.html; empty when the client library reports the failure.
    public let sqlState: String
    public let message: String
    public let sql: String
    /// The server's name of the violated constraint.
    public let constraint: String?

    init(_ kind: Kind, sqlState: String = "", _ message: String, sql: String = "", constraint: String? = nil) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.sql = sql
        self.constraint = constraint
    }

    public var description: String {
        "PostgreSQL error\(sqlState.isEmpty ? "" : " " + sqlState): \(message)" + (sql.isEmpty ? "" : " (in: \(sql))")
    }

    /// What an operator can do about it.
    public var advice: String {
        switch kind {
        case .connectionLost:
            "the connection to PostgreSQL is lost (\(message)): check that it runs, and the network between"
        case .outcomeUnknown: "the connection was lost during a COMMIT (\(message)): check whether it took effect"
        case .notReplicated:
            "the wait for a standby was cancelled: bring the standby back, or take it out of synchronous_standby_names"
        case .readOnly: "it is read-only (\(message)): name the primary, or all hosts of the cluster"
        case .retry: "another transaction was in the way (\(message)): try again"
        case .unique: description
        case .full: "it is out of disk or memory (\(message)): free some on its machine"
        case .tooManyConnections: "it has no connection left: raise max_connections, or end other clients"
        case .shuttingDown: "it is starting or shutting down (\(message)): wait, or look at its log"
        case .serverFault: "the server has failed (\(message)): look at its log, its disk and its files"
        case .noPartition: "a table has no partition for what comes next (\(message)): \(PostgresError.partitionAdvice)"
        case .denied: "it refuses this user (\(message)): check user, password and database, pg_hba.conf and GRANTs"
        case .other: description
        }
    }

    private static let partitionAdvice = "if this goes on, attach the partition that is missing, or restore it"

    /// The kind of an error that the server reported while a connection was open or being opened. `constraint` is the one
    /// that was violated.
    static func kind(of sqlState: String, constraint: String? = nil) -> Kind {
        switch sqlState {
        case "25006": .readOnly
        // The last one: a statement that took too long, or that an operator has cancelled.
        case "40001", "40P01", "55P03", "26000", "57014": .retry
        // Violated without a name: https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/executor/execPartition.c
        case "23514" where constraint == nil: .noPartition
        case "23505": .unique
        case "53300": .tooManyConnections
        case "57P01", "57P02", "57P03": .shuttingDown
        case "08007", "40003": .outcomeUnknown
        case "25P03", "57P05", "25P04": .connectionLost
        case "28000", "28P01", "3D000", "42501": .denied
        case "08P01": .other
        default: kind(ofClass: sqlState.prefix(2))
        }
    }

    private static func kind(ofClass name: Substring) -> Kind {
        switch name {
        case "53": .full
        case "08": .connectionLost
        case "58", "XX": .serverFault
        default: .other
        }
    }

    func with(_ kind: Kind, sql: String? = nil) -> PostgresError {
        PostgresError(kind, sqlState: sqlState, message, sql: sql ?? self.sql, constraint: constraint)
    }
}

/// An engine's refusal, and the statement that it refused. It never contains bound values.
public struct EngineError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// The statement or its values are at fault.
        case statement
        /// Another process holds a lock. Try again.
        case busy
        /// The ledger cannot be used: no room, no right to write, or no connection. Any other statement would fail too.
        case unusable
        /// The stored data is damaged: it differs from what was written.
        case damaged

        // What a server says more precisely. All but the first mean that the ledger cannot be used.

        /// The statement would add a row that is there.
        case unique
        /// The connection is gone, and its transaction with it: none of it was committed.
        case connectionLost
        /// The connection was lost after COMMIT had been sent: the transaction was committed, will be, or never was.
        case outcomeUnknown
        /// Committed on this server, but somebody cancelled the wait for its standby, so a failover may lose it. A
        /// later commit that waits to the end makes this one safe, too: standbys replay in order.
        case notReplicated
        /// The server is a standby, or a primary that has become one.
        case readOnly
        case full
        case tooManyConnections
        case shuttingDown
        /// The server itself failed: its disk, its files or its code.
        case serverFault
        /// A partitioned table has none for a row.
        case noPartition
        /// The user, the password, the database or the rights to it are wrong.
        case denied
    }

    public let kind: Kind
    /// The engine's own code, after its name.
    public let code: String
    public let message: String
    public let sql: String
    /// The engine's own words about the error, for the log.
    public let description: String
    /// What an operator can do about a failure that concerns every command.
    public let advice: String

    public init(_ kind: Kind, code: String, message: String, sql: String, advice: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.sql = sql
        description = "\(code): \(message)" + (sql.isEmpty ? "" : " (in: \(sql))")
        self.advice = advice ?? description
    }

    /// A query did not return the row that it was asked for. Asking again would return the same.
    public static let unanswered = EngineError(
        .statement,
        code: "ledger error",
        message: "a query did not return the row that it was asked for",
        sql: ""
    )

    /// Commits give positions without gaps, so a missing entry was there once.
    static func missingEntry(at position: Int64) -> EngineError {
        EngineError(
            .damaged,
            code: "ledger error",
            message:
                "no entry is at position \(position), although there are newer ones: restore the missing rows of the "
                + "table entries, or restart this node, which continues after the gap",
            sql: ""
        )
    }

    public var isBusy: Bool { kind == .busy }

    /// True if the whole transaction has failed, whichever command was running.
    var failsTransaction: Bool { ![.statement, .busy, .unique].contains(kind) }

    var isDamage: Bool { kind == .damaged }

    /// What is known of a server that keeps the ledger and gives no answer; nil for every other error.
    public var outage: String? { kind == .connectionLost || kind == .shuttingDown ? message : nil }
}

extension LedgerError {
    public init(_ error: EngineError) {
        self =
            error.isBusy
            ? .busy : error.outage.map { .unreachable(reason: $0) } ?? .failed(reason: error.description)
    }
}

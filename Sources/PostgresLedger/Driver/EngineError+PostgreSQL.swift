import Ledger

/// A refusal by PostgreSQL, or the reason why it did not answer.
extension EngineError {
    /// `sqlState` is empty when the client library reports the failure
    /// (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    init(_ kind: Kind, sqlState: String = "", _ message: String, sql: String = "") {
        let code = EngineError.prefix + sqlState
        self.init(
            kind,
            code: sqlState.isEmpty ? "PostgreSQL error" : code,
            message: message,
            sql: sql,
            advice: EngineError.advice(for: kind, message)
        )
    }

    var sqlState: String { String(code.dropFirst(EngineError.prefix.count)) }

    private static let prefix = "PostgreSQL error "

    /// Something about the whole ledger that PostgreSQL itself has no error for.
    static func ofTheLedger(_ message: String, advice: String) -> EngineError {
        EngineError(.unusable, code: "PostgreSQL", message: message, sql: "", advice: advice)
    }

    /// Tables that this version does not know.
    static func ofTheLedger(_ refusal: LedgerError) -> EngineError { .ofTheLedger("\(refusal)", advice: "\(refusal)") }

    func with(_ kind: Kind, sql: String? = nil) -> EngineError {
        EngineError(kind, sqlState: sqlState, message, sql: sql ?? self.sql)
    }

    /// What an operator can do about it.
    private static func advice(for kind: Kind, _ message: String) -> String? {
        switch kind {
        case .connectionLost:
            "the connection to PostgreSQL is lost (\(message)): check that it runs, and the network between"
        case .outcomeUnknown: "the connection was lost during a COMMIT (\(message)): check whether it took effect"
        case .notReplicated:
            "the wait for a standby was cancelled: bring the standby back, or take it out of synchronous_standby_names"
        case .readOnly: "it is read-only (\(message)): name the primary, or all hosts of the cluster"
        case .busy: "another transaction was in the way (\(message)): try again"
        case .full: "it is out of disk or memory (\(message)): free some on its machine"
        case .tooManyConnections: "it has no connection left: raise max_connections, or end other clients"
        case .shuttingDown: "it is starting or shutting down (\(message)): wait, or look at its log"
        case .serverFault: "the server has failed (\(message)): look at its log, its disk and its files"
        case .noPartition: "a table has no partition for what comes next (\(message)): \(partitionAdvice)"
        case .denied: "it refuses this user (\(message)): check user, password and database, pg_hba.conf and GRANTs"
        case .statement, .unique, .unusable, .damaged: nil
        }
    }

    private static let partitionAdvice = "if this goes on, attach the partition that is missing, or restore it"

    /// The kind of an error that the server reported while a connection was open or being opened. `constraint` is the one
    /// that was violated.
    static func kind(of sqlState: String, constraint: String? = nil) -> Kind {
        switch sqlState {
        case "25006": .readOnly
        // The last one: a statement that took too long, or that an operator has cancelled.
        case "40001", "40P01", "55P03", "26000", "57014": .busy
        // Violated without a name: https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/executor/execPartition.c
        case "23514" where constraint == nil: .noPartition
        case "23505": .unique
        case "53300": .tooManyConnections
        case "57P01", "57P02", "57P03": .shuttingDown
        case "08007", "40003": .outcomeUnknown
        case "25P03", "57P05", "25P04": .connectionLost
        case "28000", "28P01", "3D000", "42501": .denied
        case "08P01": .statement
        default: kind(ofClass: sqlState.prefix(2))
        }
    }

    private static func kind(ofClass name: Substring) -> Kind {
        switch name {
        case "53": .full
        case "08": .connectionLost
        case "58", "XX": .serverFault
        default: .statement
        }
    }
}

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
        // Violated without a name: https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/executor/execPartition.c
        if sqlState == "23514", constraint == nil { return .noPartition }
        return kinds[sqlState] ?? kinds[String(sqlState.prefix(2))] ?? .statement
    }

    /// By the code, or by its class. 57014 is a statement that took too long, or that an operator has cancelled.
    private static let kinds: [String: Kind] = [
        "25006": .readOnly, "23505": .unique, "53300": .tooManyConnections, "08P01": .statement,
        "40001": .busy, "40P01": .busy, "55P03": .busy, "26000": .busy, "57014": .busy,
        "57P01": .shuttingDown, "57P02": .shuttingDown, "57P03": .shuttingDown,
        "08007": .outcomeUnknown, "40003": .outcomeUnknown,
        "25P03": .connectionLost, "57P05": .connectionLost, "25P04": .connectionLost,
        "28000": .denied, "28P01": .denied, "3D000": .denied, "42501": .denied,
        "53": .full, "08": .connectionLost, "58": .serverFault, "XX": .serverFault,
    ]
}

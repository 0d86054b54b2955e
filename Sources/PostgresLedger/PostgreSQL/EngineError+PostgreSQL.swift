public import Ledger

extension EngineError {
    init(_ error: PostgresError) {
        let state = error.sqlState.isEmpty ? "" : " " + error.sqlState
        self.init(
            EngineError.kind(of: error.kind),
            code: "PostgreSQL error" + state,
            message: error.message,
            sql: error.sql,
            advice: error.advice
        )
    }

    private static func kind(of kind: PostgresError.Kind) -> Kind {
        switch kind {
        case .retry: .busy
        case .unique, .other: .statement
        case .connectionLost, .outcomeUnknown, .notReplicated, .readOnly, .full, .tooManyConnections, .shuttingDown,
            .serverFault, .noPartition, .denied:
            .unusable
        }
    }

    /// Something about the whole ledger that PostgreSQL itself has no error for.
    static func ofTheLedger(_ message: String, advice: String) -> EngineError {
        EngineError(.unusable, code: "PostgreSQL", message: message, sql: "", advice: advice)
    }

    /// Tables that this version does not know.
    static func ofTheLedger(_ refusal: LedgerError) -> EngineError { .ofTheLedger("\(refusal)", advice: "\(refusal)") }
}

/// Runs what may fail in PostgreSQL's way, and fails in an engine's.
public func engine<Value>(_ body: () throws(PostgresError) -> Value) throws(EngineError) -> Value {
    do throws(PostgresError) {
        return try body()
    } catch {
        throw EngineError(error)
    }
}

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
    }

    public let kind: Kind
    public let message: String
    /// The engine's own words about the error, for the log.
    public let description: String
    /// What an operator can do about a failure that concerns every command.
    public let advice: String

    /// `code` is the engine's own code, after its name.
    public init(_ kind: Kind, code: String, message: String, sql: String, advice: String? = nil) {
        self.kind = kind
        self.message = message
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
    public static func missingEntry(at position: Int64) -> EngineError {
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
    public var failsTransaction: Bool { kind == .unusable || kind == .damaged }

    public var isDamage: Bool { kind == .damaged }
}

extension LedgerError {
    public init(_ error: EngineError) {
        self = error.isBusy ? .busy : .failed(reason: error.description)
    }
}

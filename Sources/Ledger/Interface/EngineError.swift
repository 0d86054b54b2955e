/// What an engine refused, and the statement that it refused. Bound values never appear in it.
public struct EngineError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// It is the statement's own fault, or its values'.
        case statement
        /// Another process holds a lock. Try again.
        case busy
        /// It is not the statement's fault, and leaving the statement out would not cure it: there is no room, no right
        /// to write, or no connection.
        case place
        /// What is stored is not what was written.
        case content
    }

    public let kind: Kind
    public let message: String
    /// What the engine says of itself and the error, for the log.
    public let description: String
    /// What to do about a failure that concerns every command.
    public let advice: String

    /// `code` is the engine's own, after its name.
    public init(_ kind: Kind, code: String, message: String, sql: String, advice: String? = nil) {
        self.kind = kind
        self.message = message
        description = "\(code): \(message)" + (sql.isEmpty ? "" : " (in: \(sql))")
        self.advice = advice ?? description
    }

    /// A query returned other rows than it was asked for. Asking again would return the same.
    public static let unanswered = EngineError(
        .statement,
        code: "ledger error",
        message: "a query returned other rows than it was asked for",
        sql: ""
    )

    public var isBusy: Bool { kind == .busy }

    /// True when the whole transaction has failed, whichever command was at work.
    public var isOfThePlace: Bool { kind == .place || kind == .content }

    public var isOfTheContent: Bool { kind == .content }
}

extension LedgerError {
    public init(_ error: EngineError) {
        self = error.isBusy ? .busy : .failed(reason: error.description)
    }
}

public import Domain

/// The result of a recovery: of fetching what a store has sent, or tried to send, and committing what is missing.
public struct RecoveryReport: Sendable, Equatable {
    /// Notifications that the store had.
    public var found = 0
    /// The results of the notifications that were genuine.
    public var outcomes: [Outcome: Int] = [:]
    /// Notifications that are not genuine, or not for this server.
    public var refused = 0
    /// Lists that could not be requested, or that this server's settings reject, one sentence each, and why the run was
    /// interrupted. Their checkpoints stay where they were.
    public var problems: [String] = []
    /// True when no list was read to its end.
    public var isFailure = false
    /// True when the run ended early because this server is shutting down, or another node leads.
    public var isInterrupted = false

    public init() {}

    /// How many notifications no webhook had brought.
    public var recovered: Int {
        outcomes.reduce(0) { $1.key == .duplicate ? $0 : $0 + $1.value }
    }
}

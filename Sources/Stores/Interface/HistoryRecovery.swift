public import Domain

/// Fetches what a store has sent, or tried to, and commits what is missing. It blocks.
public protocol HistoryRecovery: Sendable {
    /// `since` nil: since the last success. `progress` hears of each page, on the caller's thread.
    func recover(since: Instant?, progress: (RecoveryReport) -> Void) -> RecoveryReport
}

extension HistoryRecovery {
    public func recover(since: Instant?) -> RecoveryReport { recover(since: since) { _ in } }
}

/// What a recovery brought.
public struct RecoveryReport: Sendable, Equatable {
    /// Notifications that the store had.
    public var found = 0
    /// What became of those that proved genuine.
    public var outcomes: [Outcome: Int] = [:]
    /// Not proven, or not for this server.
    public var refused = 0
    /// What could not be asked, or fits this server's settings nowhere, one sentence each. Nothing of it is remembered
    /// as done.
    public var problems: [String] = []
    /// True when nothing could be asked.
    public var isFailure = false

    public init() {}

    /// News: what no webhook had brought.
    public var recovered: Int {
        outcomes.reduce(0) { $1.key == .duplicate ? $0 : $0 + $1.value }
    }
}

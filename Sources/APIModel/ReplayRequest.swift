public import Domain

/// The body of `POST /replays`. Absent members and null mean the same.
public struct ReplayRequest: Codable, Sendable, Equatable {
    public var mode: ReplayMode
    /// At most 100 ids of events; absent for a range.
    public var events: [String]?
    /// Selects the events of one user.
    public var user: UserID?
    /// Selects what comes after this cursor; `start`, or absent, for everything.
    public var since: String?
    /// Selects what comes up to and including this cursor.
    public var until: String?
    /// For the audit.
    public var reason: String?

    public init(mode: ReplayMode, user: UserID? = nil, reason: String? = nil) {
        self.mode = mode
        self.user = user
        self.reason = reason
    }
}

/// What a replay does with the events that it reads.
public enum ReplayMode: String, CaseIterable, Codable, Sendable {
    /// Reports what `apply` would change.
    case dryRun = "dry_run"
    case apply
    /// Changes nothing, and sends the pages of the events' users their current state again.
    case broadcast
}

/// The body of `POST /recoveries`.
public struct RecoveryRequest: Codable, Sendable, Equatable {
    /// The store's name.
    public var provider: String
    /// ISO 8601, in the past; absent for the last success.
    public var since: String?
    /// For the audit.
    public var reason: String?

    public init(provider: String, since: String?, reason: String? = nil) {
        self.provider = provider
        self.since = since
        self.reason = reason
    }
}

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

    public init(
        mode: ReplayMode,
        events: [String]? = nil,
        user: UserID? = nil,
        since: String? = nil,
        until: String? = nil,
        reason: String? = nil
    ) {
        self.mode = mode
        self.events = events
        self.user = user
        self.since = since
        self.until = until
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

/// Answers `POST /replays`: one page. A 503 that reports what was done all the same also has `error` and `message`.
public struct ReplayAnswer: Codable, Sendable, Equatable {
    /// The effect of the replay on one contract, or its effect if it were run. Unknown values have no member.
    public struct Change: Codable, Sendable, Equatable {
        /// The store's id for the event, or for the last of several.
        public var event: String
        /// The store's lineage id.
        public var contract: String
        /// The owner after the replay.
        public var user: UserID?
        /// The owner before the replay.
        public var previousUser: UserID?
        /// A `ContractState`: before the replay.
        public var before: String?
        /// A `ContractState`: after the replay.
        public var after: String?
        /// When access ended before the replay: ISO 8601, UTC.
        public var accessUntilBefore: String?
        /// When access ends after the replay: ISO 8601, UTC.
        public var accessUntil: String?

        public init(event: String, contract: String) {
            self.event = event
            self.contract = contract
        }
    }

    /// An event that can no longer be read, or not at the moment.
    public struct Skipped: Codable, Sendable, Equatable {
        /// The store's id for the event.
        public var event: String
        /// The store's name.
        public var provider: String
        /// Why: a code in `snake_case`.
        public var reason: String

        public init(event: String, provider: String, reason: String) {
            self.event = event
            self.provider = provider
            self.reason = reason
        }
    }

    /// As in an `ErrorAnswer`; only if something is `left`.
    public var error: String?
    public var message: String?
    /// How many stored events were selected.
    public var read: Int
    public var changes: [Change]
    public var skipped: [Skipped]
    /// Users whose pages got the broadcast again.
    public var told: [UserID]
    /// Contracts that were left unchanged, by the store's lineage id.
    public var left: [String]
    /// Where to continue: a cursor; absent on the last page.
    public var next: String?

    public init(
        read: Int,
        changes: [Change],
        skipped: [Skipped],
        told: [UserID],
        left: [String],
        next: Cursor?
    ) {
        self.read = read
        self.changes = changes
        self.skipped = skipped
        self.told = told
        self.left = left
        self.next = next?.description
    }
}

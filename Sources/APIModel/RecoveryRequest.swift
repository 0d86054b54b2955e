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

/// Answers `POST /recoveries`, once the store's history is committed.
public struct RecoveryAnswer: Codable, Sendable, Equatable {
    /// The store's name.
    public var provider: String
    /// Notifications that the store had.
    public var found: Int
    /// Notifications that no webhook had brought.
    public var recovered: Int
    /// Notifications that are not genuine, or not for this server.
    public var refused: Int
    /// How many notifications had which `Outcome`.
    public var outcomes: [String: Int]
    /// Histories that could not be read: one sentence each.
    public var problems: [String]

    public init(
        provider: String,
        found: Int,
        recovered: Int,
        refused: Int,
        outcomes: [String: Int],
        problems: [String]
    ) {
        self.provider = provider
        self.found = found
        self.recovered = recovered
        self.refused = refused
        self.outcomes = outcomes
        self.problems = problems
    }
}

/// Answers `GET /recoveries`: the recoveries in progress.
public struct RecoveriesAnswer: Codable, Sendable, Equatable {
    /// The counts of `RecoveryAnswer`, so far.
    public struct Running: Codable, Sendable, Equatable {
        public var provider: String
        public var found: Int
        public var recovered: Int
        public var refused: Int

        public init(provider: String, found: Int, recovered: Int, refused: Int) {
            self.provider = provider
            self.found = found
            self.recovered = recovered
            self.refused = refused
        }
    }

    /// In the order in which they started.
    public var running: [Running]

    public init(running: [Running]) { self.running = running }
}

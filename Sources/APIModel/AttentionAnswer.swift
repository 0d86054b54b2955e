public import Domain

/// Answers `GET /attention`: what an operator should look at.
public struct AttentionAnswer: Codable, Sendable, Equatable {
    /// A webhook that this node did not take. Its body is not kept.
    public struct Refused: Codable, Sendable, Equatable {
        /// ISO 8601, UTC.
        public var at: String
        /// Where it was posted.
        public var route: String
        /// The address that it came from; null if it is not known.
        @Nullable public var client: String?
        /// The error's code.
        public var reason: String
        /// What to do: one sentence.
        public var message: String
        /// The setting to compare with what the store has; null for what does not look like the store's.
        @Nullable public var setting: String?
        /// The length of its body; 0 if none was stated.
        public var bytes: Int

        public init(
            at: Instant,
            route: String,
            client: String?,
            reason: String,
            message: String,
            setting: String? = nil,
            bytes: Int
        ) {
            self.at = at.iso8601
            self.route = route
            self.reason = reason
            self.message = message
            self.bytes = bytes
            self.client = client
            self.setting = setting
        }
    }

    /// What a store or a staging server is to be told, and perhaps cannot.
    public struct Job: Codable, Sendable, Equatable {
        /// A `Job.Kind`.
        public var kind: String
        public var provider: String
        public var environment: String
        /// A transaction id, a purchase token, or an address without its query.
        public var subject: String
        /// The attempts that have failed.
        public var attempts: Int
        public var queuedAt: String
        /// After this time it is too late: ISO 8601, UTC.
        @Nullable public var deadline: String?
        /// Why the last attempt failed.
        @Nullable public var reason: String?
        /// When it was given up; null while it waits.
        @Nullable public var abandonedAt: String?

        public init(_ job: Domain.Job, attempts: Int, queuedAt: Instant, reason: String?, abandonedAt: Instant?) {
            kind = job.kind.rawValue
            provider = job.provider.rawValue
            environment = job.environment.rawValue
            subject = job.kind == .forward ? String(job.subject.prefix { $0 != "?" }) : job.subject
            self.attempts = attempts
            self.queuedAt = queuedAt.iso8601
            deadline = job.deadline?.iso8601
            self.reason = reason
            self.abandonedAt = abandonedAt?.iso8601
        }
    }

    /// The node that answers: what was refused is its own.
    public var node: String
    /// The newest 500 since its start, newest first.
    public var refused: [Refused]
    /// The contracts that nobody has.
    public var unclaimedContracts: Int
    /// The newest events about such contracts, newest first.
    public var unclaimed: [FeedItem]
    /// The newest events that contradict an order, newest first.
    public var quarantined: [FeedItem]
    public var jobs: [Job]
    /// Those of the backend's addresses that fail.
    public var hooks: [HooksAnswer.Hook]
    /// The newest messages to the backend that were given up.
    public var failedHooks: [HookDeliveriesAnswer.Delivery]
    /// As `/ready` has them.
    public var problems: [String]
    public var warnings: [String]
    /// Left out unless other nodes may share the ledger.
    public var ledger: SharedLedgerAnswer?

    public init(
        node: String,
        refused: [Refused],
        unclaimedContracts: Int,
        unclaimed: [FeedItem],
        quarantined: [FeedItem],
        jobs: [Job],
        hooks: [HooksAnswer.Hook],
        failedHooks: [HookDeliveriesAnswer.Delivery],
        problems: [String],
        warnings: [String],
        ledger: SharedLedgerAnswer? = nil
    ) {
        self.ledger = ledger
        self.node = node
        self.refused = refused
        self.unclaimedContracts = unclaimedContracts
        self.unclaimed = unclaimed
        self.quarantined = quarantined
        self.jobs = jobs
        self.hooks = hooks
        self.failedHooks = failedHooks
        self.problems = problems
        self.warnings = warnings
    }
}

public import Domain

/// Answers `GET /history`: what this node has counted, step by step, oldest first.
public struct HistoryAnswer: Codable, Sendable, Equatable {
    public struct Step: Codable, Sendable, Equatable {
        /// When it began: ISO 8601, UTC. The last step is not over yet.
        public var at: String
        /// Events by store and outcome; none is left out as 0.
        public var events: [String: [String: Int]]
        /// By store: from its signature to the reception, in seconds, of half of its webhooks.
        public var delays: [String: Double]
        /// From a webhook's first byte to the last page's socket, in seconds: of half of them, and of 99 in 100; null if no
        /// page was told anything.
        @Nullable public var pageP50: Double?
        @Nullable public var pageP99: Double?
        /// Open pages by transport, at its end.
        public var pages: [String: Int]
        /// Attempts to tell the backend that failed.
        public var hookFailures: Int

        public init(
            at: Instant,
            events: [String: [String: Int]],
            delays: [String: Double],
            pageP50: Double?,
            pageP99: Double?,
            pages: [String: Int],
            hookFailures: Int
        ) {
            self.at = at.iso8601
            self.events = events
            self.delays = delays
            self.pages = pages
            self.hookFailures = hookFailures
            self.pageP50 = pageP50
            self.pageP99 = pageP99
        }
    }

    public var node: String
    /// `hour` or `day`.
    public var range: String
    /// The length of a step, in seconds.
    public var step: Int
    public var steps: [Step]

    public init(node: String, range: String, step: Int, steps: [Step]) {
        self.node = node
        self.range = range
        self.step = step
        self.steps = steps
    }
}

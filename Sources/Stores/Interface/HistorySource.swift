public import Domain

/// A store's record of the webhooks that it sent, or tried to send, from which lost ones are recovered.
public struct HistorySource: Sendable {
    /// The log lines about it. Dashboards know them.
    public struct Words: Sendable {
        /// The name of the thread that reads it.
        public var thread: String
        /// A run has ended that found something.
        public var read: StaticString
        /// A list could not be read.
        public var unread: StaticString
        /// It can be read again. Nil: each run that fails gets a line.
        public var readAgain: StaticString?
        /// The store keeps less than was asked for. Nil: that is no news.
        public var lost: StaticString?
    }

    public var words: Words
    /// One for each app, or for each environment of an app. Never empty.
    public var lists: [HistoryList]
    /// Whether reading an entry takes a request of its own. What such a run has found counts, even if no list was read
    /// to its end.
    public var asksForEntries = false
    /// The answers come from the development server itself, which has forgotten everything when it starts: it is asked
    /// on demand alone.
    public var isStandIn: Bool
}

/// One list of a store's history: that of one app, or of one app in one environment.
public struct HistoryList: Sendable {
    /// The name of the checkpoint in the ledger, which remembers how far the list was read.
    public let key: String
    public let app: String
    /// Nil for a list that holds both.
    public let environment: StoreEnvironment?
    /// How long the store keeps an entry.
    public let reach: Duration
    /// How many pages may be requested for one piece; one with more is halved.
    public let pagesOfAPiece: Int
    /// How many pages may be requested for one run. The next run goes on where this one ended.
    public let pagesOfARun: Int
    /// The pause between two requests: buyers come first.
    public var pause: Duration
    /// Blocks.
    public let page: @Sendable (HistoryQuery, _ now: Instant) throws(StoreAPIError) -> HistoryPage
    /// How a request is repeated after an error; nil when a repetition does not help.
    public let remedy: @Sendable (StoreAPIError) -> HistoryRemedy?
    /// One sentence that says what an operator has to do about an error; nil when no setting cures it.
    public let hint: @Sendable (HistoryError) -> String?
}

/// Which page of a list is requested.
public struct HistoryQuery: Sendable, Equatable {
    public var start: Instant
    public var end: Instant
    /// `end` is the present, which the store's clock may not have reached yet.
    public var isNewest = false
    /// Only what no webhook delivered, if the store can tell.
    public var onlyFailures = false
    /// The last page's `next`; nil for the first page.
    public var token: String?

    public init(start: Instant, end: Instant) {
        self.start = start
        self.end = end
    }
}

/// `next` is the token of the next page; nil for the last page.
public typealias HistoryPage = (entries: [HistoryEntry], next: String?)

public struct HistoryEntry: Sendable {
    /// The id of the entry's event, if the entry tells: an event that has arrived is not read again.
    public let event: String?
    /// The entry as an event. Takes the verifier that proves the store's webhooks. May block.
    public let read: @Sendable (any StoreVerifier, _ now: Instant) throws(HistoryError) -> Event
}

/// How a request for a page is repeated.
public enum HistoryRemedy: Sendable {
    /// The store does not keep its history for that long: request a later piece.
    case laterPiece
    /// The page has expired: begin at the piece's first page.
    case firstPage
}

/// Why an entry, or a whole list, could not be read.
public enum HistoryError: Error, Equatable, Sendable {
    /// It is not genuine, or not for this server.
    case refused(VerificationError)
    /// The store did not say what it means.
    case unread(StoreAPIError)
}

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

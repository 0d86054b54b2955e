/// One thing a store said, proven genuine.
public struct Event: Sendable, Equatable {
    public var provider: Provider
    public var environment: StoreEnvironment
    /// The store's name for the app: Apple's bundle id, Google's package.
    public var app: String
    /// The store's id for this event, the same on every retry (Apple: `notificationUUID`).
    public var id: String
    /// The store's own words. They are open sets, so they stay strings.
    public var type: String
    public var subtype: String?
    /// Our name for the event. It decides the wording, never the state.
    public var kind: EventKind
    public var signedAt: Instant
    /// What the event says about a contract; nil when it concerns none (TEST, summaries).
    public var observation: Observation?
    /// Further products of the same purchase. Each is a contract of its own; see `lines`.
    public var further: [Observation]
    /// True when the event names every product of the purchase.
    public var isWhole: Bool
    /// The buyer whom the event is about when it concerns no contract (Apple's RESCIND_CONSENT: `appTransactionId`).
    public var account: String?
    /// Moves everything that some users held to another user (RevenueCat's TRANSFER), or says which made-up ids are a
    /// user's.
    public var transfer: Transfer?
    /// What to do once the event is committed.
    public var jobs: [Job]
    /// The body as it was posted, kept for audit and replay. Never logged.
    public var body: [UInt8]
    /// The header of the signed documents in the body, as in the body, if it is proven that the store made it: other bodies
    /// have the same one, and nobody is named in it.
    public var header: [UInt8]?

    public init(
        provider: Provider,
        environment: StoreEnvironment,
        app: String,
        id: String,
        type: String,
        subtype: String? = nil,
        kind: EventKind,
        signedAt: Instant,
        observation: Observation?,
        further: [Observation] = [],
        isWhole: Bool = false,
        account: String? = nil,
        transfer: Transfer? = nil,
        jobs: [Job] = [],
        body: [UInt8],
        header: [UInt8]? = nil
    ) {
        self.provider = provider
        self.environment = environment
        self.app = app
        self.id = id
        self.type = type
        self.subtype = subtype
        self.kind = kind
        self.signedAt = signedAt
        self.observation = observation
        self.further = further
        self.isWhole = isWhole
        self.account = account
        self.transfer = transfer
        self.jobs = jobs
        self.body = body
        self.header = header
    }

    /// The observation, together with what only the event's name says: that the subscription pauses when the period
    /// ends.
    public var statement: Observation? {
        var statement = observation
        if kind == .pauseScheduled { statement?.snapshot?.isPausing = true }
        return statement
    }
}

extension Event {
    /// The `subtype` of an event that means nothing here because the settings do not list its account.
    public static let unlistedAccount = "unlisted_account"

    public var isOfUnlistedAccount: Bool { subtype == Event.unlistedAccount && observation == nil }
}

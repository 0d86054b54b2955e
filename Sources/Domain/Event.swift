/// One thing a store said, proven genuine.
public struct Event: Sendable, Equatable {
    public var provider: Provider
    public var environment: StoreEnvironment
    /// The store's name of the app: Apple's bundle id, Google's package.
    public var app: String
    /// The store's id of this event, the same on every retry (Apple: `notificationUUID`).
    public var id: String
    /// The store's own words; open sets, so they stay strings.
    public var type: String
    public var subtype: String?
    /// Our name for it: chooses wording, never state.
    public var kind: EventKind
    public var signedAt: Instant
    /// What it says of a contract; nil when it says nothing of one (TEST, summaries).
    public var observation: Observation?
    /// Further products of the same purchase: each is a contract of its own, see `lines`.
    public var further: [Observation]
    /// The purchase holds no other products than these.
    public var isWhole: Bool
    /// The buyer it is about, if it concerns no contract (Apple's RESCIND_CONSENT: `appTransactionId`).
    public var account: String?
    /// Everything that some users held is another user's now (RevenueCat's TRANSFER).
    public var transfer: Transfer?
    /// What is to be done once it is committed.
    public var errands: [Errand]
    /// The body as it was posted, kept for audit and replay. Never logged.
    public var body: [UInt8]

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
        errands: [Errand] = [],
        body: [UInt8]
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
        self.errands = errands
        self.body = body
    }

    /// What it says, with what only its name says: that the period's end pauses the subscription.
    public var statement: Observation? {
        var statement = observation
        if kind == .pauseScheduled { statement?.snapshot?.isPausing = true }
        return statement
    }
}

public import Domain

/// One committed entry as developers see it, on `GET /feed` and in a user's events. Values that are not known have no
/// member.
public struct FeedItem: Codable, Sendable, Equatable {
    /// Where it was committed.
    public var cursor: String
    /// When it was committed: ISO 8601, UTC.
    public var at: String
    /// An `EventKind`, such as `event` or `broadcast`.
    public var kind: String
    /// The store's name.
    public var provider: String?
    /// `Production` or `Sandbox`; in development also `Xcode`.
    public var environment: String?
    /// The store's words for what happened.
    public var type: String?
    public var subtype: String?
    /// The store's id for the event.
    public var event: String?
    /// An `Outcome`, such as `applied`.
    public var outcome: String?
    /// Why it changed nothing: one sentence for people.
    public var reason: String?
    /// When the event occurred by the store's own date: ISO 8601, UTC. Only in a user's events.
    public var occurredAt: String?
    /// When the event arrived: ISO 8601, UTC. Only in a user's events.
    public var receivedAt: String?
    public var user: UserID?
    /// The store's lineage id.
    public var contract: String?
    /// The token of the order: a UUID.
    public var order: String?
    /// What the app gave the order to get it back.
    public var successUrl: String?
    public var metadata: [String: String]?
    /// The product by the store's id.
    public var product: String?
    /// A `ContractState`: before the event.
    public var previousState: String?
    /// A `ContractState`: after the event.
    public var state: String?
    /// Whether the user has the main entitlement afterwards, whichever one the product opens.
    public var active: Bool?
    /// Each entitlement of the catalog as the user has it afterwards, by its name.
    public var entitlements: [String: EntitlementItem]?
    /// When the contract's access ends: ISO 8601, UTC.
    public var accessUntil: String?
    /// `purchase.made` if it told of a charge first, `purchase.refunded` of a refund.
    public var purchase: String?
    /// The charge by the store's id. Only with `purchase`.
    public var transaction: String?
    /// The fragments that it caused, in the order in which they apply.
    public var fragments: [FragmentItem]
    /// The store's own words, unchanged. Only in a user's events, with `bodies=true`.
    public var body: String?

    public init(_ entry: Entry, epoch: String) {
        let notice = entry.notice
        cursor = Cursor(epoch: epoch, position: entry.position).description
        at = entry.committedAt.iso8601
        kind = notice.kind.rawValue
        provider = notice.provider?.rawValue
        environment = notice.environment?.rawValue
        type = notice.type
        subtype = notice.subtype
        event = notice.event
        outcome = notice.outcome?.rawValue
        reason = notice.reason
        user = notice.user
        contract = notice.contract
        order = notice.order?.description
        successUrl = notice.context.successURL
        metadata = notice.context.metadata.isEmpty ? nil : notice.context.metadata
        product = notice.product
        previousState = notice.previousState?.rawValue
        state = notice.state?.rawValue
        active = notice.active
        entitlements = notice.entitlements.map { EntitlementItem.byName($0) }
        accessUntil = notice.accessUntil?.iso8601
        purchase = notice.charge?.news.rawValue
        transaction = notice.charge?.id
        fragments = entry.fragments.map(FragmentItem.init)
    }
}

/// A fragment that an entry caused; its markup stays out.
public struct FragmentItem: Codable, Sendable, Equatable {
    /// The name of the stream.
    public var stream: String
    /// The action of the `<turbo-stream>`, such as `replace`.
    public var action: String
    /// The id of the element that it changes, or the selector of several.
    public var target: String?
    /// The name of its template, such as `paywall`.
    public var fragment: String?

    public init(_ fragment: Fragment) {
        stream = fragment.stream.text
        action = fragment.action
        target = fragment.target ?? fragment.targets
        if case .template(let name, _) = fragment.content { self.fragment = name }
    }
}

/// The data of the feed's `reset`: a consumer's cursor does not belong to this ledger.
public struct FeedReset: Codable, Sendable, Equatable {
    /// The position after which the consumer is told everything.
    public var cursor: String
    /// One sentence for people.
    public var message: String

    public init(cursor: Cursor, message: String) {
        self.cursor = cursor.description
        self.message = message
    }
}

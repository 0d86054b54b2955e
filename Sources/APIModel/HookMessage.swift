public import Domain

/// What the app's backend is sent, in the form of the Standard Webhooks specification.
public struct HookMessage: Codable, Sendable, Equatable {
    /// A `HookType`, or `paycast.test`.
    public var type: String
    /// When the cause was committed: ISO 8601, UTC.
    public var timestamp: String
    public var data: Content

    public init(type: String, timestamp: Instant, data: Content) {
        self.type = type
        self.timestamp = timestamp.iso8601
        self.data = data
    }

    /// What `GET /users/{user}/entitlements` answers, with the cause of its change. Other types than
    /// `entitlements.changed` have no state, only those of a purchase have one, and a test has no user either.
    public struct Content: Codable, Sendable, Equatable {
        public var user: UserID?
        /// Whether the main entitlement gives access now.
        public var active: Bool?
        /// Each entitlement of the catalog, by its name.
        public var entitlements: [String: EntitlementItem]?
        /// The contracts that speak for the user come first.
        public var contracts: [ContractItem]?
        /// The ledger's newest cursor when they were read.
        public var since: String?
        /// The consumable that was handed over or taken back, or the charge that was made or given back.
        public var purchase: PurchaseItem?
        public var cause: Cause?
        /// Where the cause was committed.
        public var cursor: String?
        /// How many older states of the user this address was not told of, because this one took their place.
        public var superseded: Int?

        /// Of a test.
        public init() {}

        /// `answer` is of `entitlements.changed`, `purchase` of a purchase.
        public init(
            user: UserID,
            answer: EntitlementsAnswer?,
            purchase: PurchaseItem? = nil,
            cause: Cause?,
            cursor: Cursor,
            superseded: Int
        ) {
            self.user = user
            self.purchase = purchase
            active = answer?.active
            entitlements = answer?.entitlements
            contracts = answer?.contracts
            since = answer?.since
            self.cause = cause
            self.cursor = cursor.description
            self.superseded = superseded
        }
    }

    /// The entry that changed the state. A member is null if the cause has no such thing: no store announces that a
    /// period has ended.
    public struct Cause: Codable, Sendable, Equatable {
        /// An `EventKind`, as on the feed.
        public var kind: String
        @Nullable public var provider: String?
        @Nullable public var type: String?
        @Nullable public var event: String?
        @Nullable public var outcome: String?
        @Nullable public var contract: String?
        /// The token of the order, and what the app gave it to get it back. Left out without one.
        public var order: String?
        public var successUrl: String?
        public var metadata: [String: String]?

        public init(_ notice: Notice) {
            kind = notice.kind.rawValue
            provider = notice.provider?.rawValue
            type = notice.type
            event = notice.event
            outcome = notice.outcome?.rawValue
            contract = notice.contract
            order = notice.order?.description
            successUrl = notice.context.successURL
            metadata = notice.context.metadata.isEmpty ? nil : notice.context.metadata
        }
    }
}

extension HookMessage {
    /// The bytes of `JSON.encode`, by hand: there is a message for each change, and `JSONEncoder` takes as long as sending it.
    public var json: [UInt8] {
        var writer = ObjectWriter(capacity: 1024)
        writer.object { writer in
            writer.object("data") { data.write(to: &$0) }
            writer.text("timestamp", timestamp)
            writer.text("type", type)
        }
        return writer.bytes
    }
}

extension HookMessage.Content {
    fileprivate func write(to writer: inout ObjectWriter) {
        if let active { writer.flag("active", active) }
        if let cause { writer.object("cause") { cause.write(to: &$0) } }
        if let contracts { writer.objects("contracts", of: contracts) { $0.write(to: &$1) } }
        writer.text("cursor", ifAny: cursor)
        if let entitlements {
            writer.object("entitlements") { writer in
                for (name, item) in entitlements.sorted(by: { $0.key < $1.key }) {
                    writer.object(named: name) { item.write(to: &$0) }
                }
            }
        }
        if let purchase { writer.object("purchase") { purchase.write(to: &$0) } }
        writer.text("since", ifAny: since)
        writer.number("superseded", ifAny: superseded)
        writer.text("user", ifAny: user?.text)
    }
}

extension HookMessage.Cause {
    fileprivate func write(to writer: inout ObjectWriter) {
        writer.text("contract", contract)
        writer.text("event", event)
        writer.text("kind", kind)
        writer.texts("metadata", ifAny: metadata)
        writer.text("order", ifAny: order)
        writer.text("outcome", outcome)
        writer.text("provider", provider)
        writer.text("success_url", ifAny: successUrl)
        writer.text("type", type)
    }
}

extension EntitlementItem {
    fileprivate func write(to writer: inout ObjectWriter) {
        writer.text("access_until", accessUntil)
        writer.flag("active", active)
        writer.flag("auto_renew", autoRenew)
        writer.text("contract", ifAny: contract)
        writer.text("product", product)
        writer.text("provider", provider)
        writer.text("state", state)
        writer.text("store", store)
        writer.flag("trial", trial)
        writer.text("trial_ends_at", trialEndsAt)
    }
}

extension ContractItem {
    fileprivate func write(to writer: inout ObjectWriter) {
        writer.text("access_until", accessUntil)
        writer.flag("active", active)
        writer.flag("auto_renew", autoRenew)
        writer.text("contract", contract)
        writer.texts("entitlements", entitlements)
        writer.text("environment", environment)
        writer.flag("family", family)
        writer.text("group", group)
        writer.text("pending_product", pendingProduct)
        writer.text("product", product)
        writer.text("provider", provider)
        writer.number("quantity", ifAny: quantity)
        writer.text("state", state)
        writer.text("store", store)
        writer.flag("trial", trial)
        writer.text("trial_ends_at", trialEndsAt)
    }
}

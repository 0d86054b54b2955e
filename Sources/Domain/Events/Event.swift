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
    /// The header of the signed documents in the body, as in the body, if it is proven that the store made it and an earlier
    /// body had the same one. Nobody is named in it.
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

/// One purchase may hold several products (Google's line items, the items of a Stripe subscription). The first keeps
/// the purchase's own id as its lineage; each further one appends its own id to it.
extension ContractKey {
    public func line(_ id: String) -> ContractKey { with(lineage: "\(lineage)#\(id)") }

    /// The contract of the whole purchase; nil unless this is the key of a further product.
    public var purchase: ContractKey? {
        guard provider.sellsLines, let name = lineage.lineName else { return nil }
        return with(lineage: String(decoding: lineage.utf8.dropLast(name.utf8.count + 1), as: UTF8.self))
    }

    /// The exclusive bounds, in byte order, of the lineages of all further products. Nil for stores that sell one
    /// product at a time.
    public var lineBounds: (lower: String, upper: String)? {
        provider.sellsLines ? (lineage + "#", lineage + "$") : nil
    }
}

extension Event {
    /// The event's statements about further products, each as an event. Each appends the product's id to the
    /// event's id. They have no jobs: those are done once, for the purchase.
    public var lines: [Event] {
        further.map { line($0, id: "\(id)#\($0.contract.lineage.lineName ?? "")") }
    }

    /// An event saying that the further product of `contract` is no longer part of the purchase, as of `instant`.
    public func ending(_ contract: ContractKey, product: String, at instant: Instant) -> Event {
        let end = Snapshot(state: .expired, product: product, autoRenew: false, accessUntil: instant, signedAt: instant)
        let observation = Observation(contract: contract, kind: .subscription, snapshot: end)
        var event = line(observation, id: "\(id)#\(contract.lineage.lineName ?? "")#end")
        event.kind = .subscriptionExpired
        return event
    }

    /// This event or one of its lines, by the id under which the ledger keeps it; nil for an `ending`. The ledger may know
    /// another product as the first one.
    public func filed(as id: String) -> Event? {
        guard provider.sellsLines, let name = id.lineName else { return self }
        let others = further.compactMap(\.product).prefix(1).flatMap { led(by: $0).lines }
        var line = (lines + others).first {
            $0.observation?.contract.lineage.lineName?.utf8.elementsEqual(name.utf8) == true
        }
        line?.id = id
        return line
    }

    /// The event with its line of `product` as the first one, which has the purchase's own id. A purchase begins with that
    /// product, and keeps it as long as it lists it: the store's list has no order.
    public func led(by product: String) -> Event {
        guard provider.namesLinesByProduct, let first = observation, let own = first.product,
            !own.hasSameBytes(as: product),
            let index = further.firstIndex(where: { $0.product?.hasSameBytes(as: product) == true })
        else { return self }
        var event = self
        event.observation = further[index]
        event.observation?.contract = first.contract
        event.observation?.previousLineage = first.previousLineage
        event.further[index] = first
        event.further[index].contract = first.contract.line(own)
        event.further[index].previousLineage = first.previousLineage.map { key(lineage: $0).line(own).lineage }
        return event
    }

    private func line(_ observation: Observation, id: String) -> Event {
        var line = self
        line.id = id
        line.observation = observation
        line.further = []
        line.isWhole = false
        line.jobs = []
        return line
    }
}

extension String {
    /// What follows the first `#`, which no id of these stores contains.
    fileprivate var lineName: String? {
        utf8.firstIndex(of: UInt8(ascii: "#")).map { String(decoding: utf8[utf8.index(after: $0)...], as: UTF8.self) }
    }
}

/// The normalized name of an event, the same for every store. It decides the wording; the state comes from the
/// snapshot.
public enum EventKind: String, CaseIterable, Sendable {
    case subscriptionStarted = "subscription.started"
    case subscriptionResubscribed = "subscription.resubscribed"
    case subscriptionRenewed = "subscription.renewed"
    case subscriptionRecovered = "subscription.recovered"
    /// The first paid period after a free trial.
    case subscriptionConverted = "subscription.converted"
    case subscriptionExtended = "subscription.extended"
    case planChanged = "subscription.plan_changed"
    case planChangeScheduled = "subscription.plan_change_scheduled"
    case planChangeCancelled = "subscription.plan_change_cancelled"
    case autoRenewOff = "subscription.auto_renew_off"
    case autoRenewOn = "subscription.auto_renew_on"
    case offerApplied = "subscription.offer_applied"
    case graceStarted = "subscription.grace_started"
    case billingRetry = "subscription.billing_retry"
    case subscriptionExpired = "subscription.expired"
    case pauseScheduled = "subscription.pause_scheduled"
    case paused = "subscription.paused"
    case resumed = "subscription.resumed"
    case extensionFailed = "extension.failed"
    case extensionSummary = "extension.summary"
    case priceChangePending = "price.change_pending"
    case priceChangeAccepted = "price.change_accepted"
    case purchasePending = "purchase.pending"
    case purchasePendingCancelled = "purchase.pending_cancelled"
    case purchaseCompleted = "purchase.completed"
    case refundRequested = "refund.requested"
    case refundCompleted = "refund.completed"
    case refundDeclined = "refund.declined"
    case refundReversed = "refund.reversed"
    case familyGranted = "family.granted"
    case familyRevoked = "family.revoked"
    case contractTransferred = "contract.transferred"
    case contractUpdated = "contract.updated"
    case accessProvisional = "access.provisional"
    case accessGranted = "access.granted"
    case accessRevoked = "access.revoked"
    case externalToken = "external_token.changed"
    case consentRescinded = "consent.rescinded"
    case providerTest = "provider.test"
    case providerUnknown = "provider.unknown"

    // No store says these: the ledger itself commits them.
    case orderClaimed = "order.claimed"
    case accessEnded = "access.ended"
    /// Another catalog opens something else for a user.
    case catalogChanged = "catalog.changed"
    case broadcast = "broadcast"
    /// An app may have broadcast something that did not arrive.
    case broadcastsLost = "broadcasts.lost"
    /// A user was erased: the user's pages reload.
    case userErased = "user.erased"
    /// A user's open pages were ended: names of the user's stream that were signed before are refused.
    case pagesEnded = "pages.ended"
    /// A store said something about the contract of an erased user.
    case contractErased = "contract.erased"
}

import Crypto
public import Domain
import Encoding
public import Support

/// A product, or an entitlement, that the app's backend, or its support staff, gives a user for a time.
///
/// It is a contract like a store's, and each of its two statements an event: that it is granted, and that it is taken
/// back. The ledger keeps the statement as the event's body, for replays and exports.
public struct Grant: Sendable, Equatable {
    /// The contract's lineage: 32 hexadecimal digits.
    public var id: String
    public var user: UserID
    /// The entitlement's name, if that is what is given.
    public var product: String
    /// The entitlement that it opens; nil for a product, of which the catalog says what it opens.
    public var entitlement: String?
    public var group: String?
    public var grantedAt: Instant
    /// Nil for ever.
    public var until: Instant?
    public var revokedAt: Instant?
    /// Why it was granted, or taken back.
    public var reason: String

    public init(id: String, user: UserID, product: String, grantedAt: Instant, reason: String) {
        self.id = id
        self.user = user
        self.product = product
        self.grantedAt = grantedAt
        self.reason = reason
    }
}

extension Grant {
    /// A user's requests with the same key are the same grant. Without a key, each is a new one.
    public static func id(for user: UserID, key: IdempotencyKey?) -> String {
        guard let key else { return Hex.encode(randomBytes(16)) }
        // No user id has a line break.
        return Hex.encode(Array(SHA256.hash(Array("\(key.text)\n\(user.text)".utf8)).prefix(16)))
    }

    /// Taken back at `now`, but after it was granted: this node's clock may be behind that of the node which granted it,
    /// and the newest statement wins.
    public func revoked(at now: Instant, reason: String) -> Grant {
        var revoked = self
        revoked.revokedAt = max(now, grantedAt + .milliseconds(1))
        revoked.reason = reason
        return revoked
    }
}

/// What the ledger commits.
extension Grant {
    public var event: Event {
        Event(
            provider: .paycast,
            environment: .production,
            app: Provider.paycast.rawValue,
            id: eventID,
            type: revokedAt == nil ? "grant" : "revoke",
            kind: revokedAt == nil ? .accessGranted : .accessRevoked,
            signedAt: statedAt,
            observation: observation,
            body: document
        )
    }

    private var statedAt: Instant { revokedAt ?? grantedAt }

    /// What is granted again under its key, after an erasure, is taken back by another event: the erasure keeps the digest
    /// of the first one's id.
    private var eventID: String {
        revokedAt == nil ? id : "\(id)-revoked-\(grantedAt.milliseconds)"
    }

    /// One with an end is a subscription that does not renew, one without is bought once: the words that stores have.
    public var kind: ProductKind { until == nil ? .nonConsumable : .subscription }

    private var observation: Observation {
        let app = Provider.paycast.rawValue
        let key = ContractKey(provider: .paycast, environment: .production, app: app, lineage: id)
        var charge = Transaction(id: id, product: product, purchasedAt: grantedAt, signedAt: statedAt)
        (charge.expiresAt, charge.revokedAt) = (until, revokedAt)
        var observation = Observation(contract: key, kind: kind)
        observation.group = group
        observation.entitlements = entitlement.map { [$0] }
        observation.isPurchase = revokedAt == nil
        observation.transaction = charge
        observation.snapshot = snapshot
        return observation
    }

    private var snapshot: Snapshot? {
        let state: ContractState = revokedAt == nil ? .cancelled : .revoked
        guard let end = revokedAt ?? until else { return nil }
        return Snapshot(state: state, product: product, autoRenew: false, accessUntil: end, signedAt: statedAt)
    }

    /// Nil for a body that is not a grant's.
    init?(_ body: [UInt8]) {
        guard let body = JSONNode(body), let id = body["grant"]?.text, let user = body["user"]?.text,
            let product = body["product"]?.text, let reason = body["reason"]?.text,
            let grantedAt = body["granted_at"]?.text.flatMap({ Instant(iso8601: $0) })
        else { return nil }
        self.init(id: id, user: UserID(user), product: product, grantedAt: grantedAt, reason: reason)
        entitlement = body["entitlement"]?.text
        group = body["group"]?.text
        until = body["until"]?.text.flatMap { Instant(iso8601: $0) }
        revokedAt = body["revoked_at"]?.text.flatMap { Instant(iso8601: $0) }
    }

    /// The event's body, its members in the order of their names.
    private var document: [UInt8] {
        let body: WireJSON = [
            "entitlement": entitlement.map { .text($0) }, "grant": .text(id), "granted_at": .text(grantedAt.iso8601),
            "group": group.map { .text($0) },
            "product": .text(product), "reason": .text(reason), "revoked_at": revokedAt.map { .text($0.iso8601) },
            "until": until.map { .text($0.iso8601) }, "user": .text(user.text),
        ]
        return body.bytes
    }
}

/// Grants: a store without settings, without webhooks, and without anybody who pays.
public struct GrantStore: Store {
    public static let provider = Provider.paycast
    public static let title = "Grants"
    public static let name = "your grant"
    public static let fields: KeyValuePairs<String, EventField> = [
        "What": .type, "Grant": .contract, "Product": .product, "Group": .group, "Granted": .bought,
        "Until": .paidUntil, "Taken back": .takenBack, "Entitlement": .opens,
    ]
    public static let hasWebhooks = false
    public static let webhookSecret = ""

    public init(_ settings: inout SettingsReader) {}

    public static func claimedID(of delivery: Delivery) -> String? { nil }

    public var missingSettings: [String] { [] }
    public var isExpected: Bool { false }

    public mutating func reload(from new: GrantStore, changes: inout SettingsChanges) {}

    public func open(_ dependencies: StoreDependencies) -> GrantReader? { GrantReader() }
}

/// Reads the grants that the ledger keeps. Nobody delivers any.
public struct GrantReader: StoreVerifier, OpenStore {
    public init() {}

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event { throw .notConfigured }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        guard let grant = Grant(stored.body) else { throw .malformed(.invalidPayload) }
        return grant.event
    }
}

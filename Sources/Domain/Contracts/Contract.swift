/// Everything known about one contract. Its value depends neither on the order nor on the number of deliveries.
///
/// Every stored property is the greatest value stated so far, under a total order. Applying observations is therefore
/// commutative, associative and idempotent, and the size is constant however long the history is. A renewal needs only
/// this value, never the periods before it.
public struct Contract: Sendable, Equatable {
    public let key: ContractKey
    /// A lineage always sells the same kind of product, but not every statement knows which kind: a charge does; a
    /// refund of something unknown does not.
    public private(set) var kind: ProductKind
    public var isFamilyShared: Bool
    public var group: Register<String>?
    /// The newest purchase's token. It may name a different user than the first purchase's token did.
    public var token: Register<OrderToken>?
    public var account: Register<String>?
    /// The app's own user id, if the app gave it to the store.
    public var storeUser: Register<UserID>?
    public var previousLineage: Register<String>?
    /// The entitlements that the store itself says it opens, joined by commas in the order of their bytes.
    public var entitlements: Register<String>?
    /// The store that sold it, if it is not the one that tells of it. It never changes.
    public var store: String?
    /// Whether it renews, at a store whose newest statement may leave that open (RevenueCat).
    public var renewal: Register<Bool>?
    public var snapshot: SnapshotRegister?
    public var transaction: ChargeRegister?

    /// The product of its newest statement.
    public var product: String? { snapshot?.snapshot.product ?? transaction?.transaction.product }

    public init(key: ContractKey, kind: ProductKind) {
        self.key = key
        self.kind = kind
        isFamilyShared = false
    }

    /// Returns false when the observation brought nothing new.
    public mutating func apply(_ observation: Observation, event: String, signedAt: Instant) -> Bool {
        let before = self
        settleKind(by: observation)
        isFamilyShared = isFamilyShared || observation.isFamilyShared
        raise(&group, to: observation.group.map { Register($0, at: signedAt) })
        raise(&token, to: observation.token.map { Register($0, at: signedAt) })
        raise(&account, to: observation.account.map { Register($0, at: signedAt) })
        raise(&storeUser, to: observation.user.map { Register($0, at: signedAt) })
        raise(&previousLineage, to: observation.previousLineage.map { Register($0, at: signedAt) })
        raise(&store, to: observation.store)
        raise(
            &entitlements,
            to: observation.entitlements.map { Register($0.sorted().joined(separator: ","), at: signedAt) }
        )
        let statedAt = observation.snapshot?.signedAt ?? signedAt
        raise(&renewal, to: observation.renewal.map { Register($0, at: statedAt) })
        raise(&transaction, to: observation.transaction.map { ChargeRegister($0, event: event) })
        raise(
            &snapshot,
            to: observation.snapshot.map { SnapshotRegister($0, beside: observation.transaction, event: event) }
        )
        return self != before
    }

    private mutating func settleKind(by observation: Observation) {
        let isKnown = transaction != nil
        guard observation.transaction != nil || !isKnown else { return }
        let isNewlyKnown = observation.transaction != nil && !isKnown
        kind = isNewlyKnown ? observation.kind : max(kind, observation.kind)
    }
}

private func raise<Value: Comparable>(_ register: inout Value?, to value: Value?) {
    guard let value else { return }
    register = register.map { max($0, value) } ?? value
}

/// Names one subscription or one-time purchase at one store. Two keys are equal when their bytes are: stores choose the
/// ids.
public struct ContractKey: Sendable {
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    /// The store's lineage id (Apple: `originalTransactionId`).
    public var lineage: String

    public init(provider: Provider, environment: StoreEnvironment, app: String, lineage: String) {
        self.provider = provider
        self.environment = environment
        self.app = app
        self.lineage = lineage
    }

    /// Another contract of the same app, or its buyer: a list of a buyer's contracts has the key of any of them, with the
    /// store's name for the buyer as its lineage.
    func with(lineage: String) -> ContractKey {
        ContractKey(provider: provider, environment: environment, app: app, lineage: lineage)
    }
}

extension Event {
    /// A contract that the event is about, or its buyer.
    func key(lineage: String) -> ContractKey {
        ContractKey(provider: provider, environment: environment, app: app, lineage: lineage)
    }
}

extension ContractKey: Hashable {
    public static func == (left: ContractKey, right: ContractKey) -> Bool {
        left.lineage.hasSameBytes(as: right.lineage) && left.app.hasSameBytes(as: right.app)
            && left.provider == right.provider && left.environment == right.environment
    }

    /// A lineage hardly ever means two contracts, and a decision hashes the same key some twenty times.
    public func hash(into hasher: inout Hasher) { lineage.hashBytes(into: &hasher) }
}

/// Where a contract stands. Raw values are the words of the public interface.
public enum ContractState: String, CaseIterable, Sendable {
    case pending
    case active
    /// Renewal is off; access runs on until the period ends.
    case cancelled
    case inGracePeriod = "in_grace_period"
    case inBillingRetry = "in_billing_retry"
    case paused
    case expired
    case revoked
    /// A one-time product that stays.
    case owned
    /// A consumable that was handed over.
    case delivered
}

extension ContractState {
    /// `delivered` gives no access: the product was handed over once.
    public var givesAccess: Bool {
        switch self {
        case .active, .cancelled, .inGracePeriod, .owned: true
        case .pending, .inBillingRetry, .paused, .expired, .revoked, .delivered: false
        }
    }
}

public import Domain

/// What a store says about a few contracts over some years, in order.
///
/// One subscription of the user (renewals, grace, recovery, upgrades, downgrades, refunds of current and older
/// periods, lapses), the same group shared with a family member, and one purchase of every one-time kind.
public struct StoreHistory: Sendable {
    public static let start = Instant(milliseconds: 1_700_000_000_000)

    public private(set) var events: [Event] = []
    public private(set) var orders: [Order] = []
    /// The state of each contract at the store in the end.
    public private(set) var truth: [ContractKey: ContractState] = [:]
    public private(set) var end = StoreHistory.start
    private var generator: SeededGenerator

    /// `ties`: some things happen in the same millisecond. Then `truth` is not defined; every order must still end
    /// alike.
    public init(seed: UInt64, ties: Bool) {
        generator = SeededGenerator(seed: seed)
        for (lineage, user) in [("2000", "buyer" as UserID), ("2001", "sister")] {
            writeSubscription(lineage, user: user, ties: ties)
        }
        writePurchase("3000", kind: .consumable, product: "coins", ties: ties)
        writePurchase("3001", kind: .nonConsumable, product: "lifetime", ties: ties)
        writePurchase("3002", kind: .nonRenewing, product: "season", ties: ties)
    }

    private mutating func writeSubscription(_ lineage: String, user: UserID, ties: Bool) {
        let key = ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: lineage)
        var subscription = StoreTimeline(key, isFamilyShared: user == "sister")
        subscription.token = mint(user, product: "monthly")
        var now = StoreHistory.start
        for _ in 0..<Int.random(in: 3...24, using: &generator) {
            now = now + pause(ties)
            subscription.pass(to: now)
            let choices = subscription.possibleSteps
            guard let step = choices.randomElement(using: &generator) else { break }
            for observation in subscription.take(step, at: now) { append(observation, kind: step.kind, now: now) }
        }
        truth[subscription.key] = subscription.state
        end = max(end, now)
    }

    private mutating func writePurchase(_ lineage: String, kind: ProductKind, product: String, ties: Bool) {
        let key = ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: lineage)
        let token = mint("buyer", product: product)
        var now = StoreHistory.start
        var charge = Transaction(id: lineage, product: product, purchasedAt: now, signedAt: now)
        var isRevoked = false
        for step in 0..<Int.random(in: 1...5, using: &generator) {
            now = now + pause(ties)
            charge.signedAt = now
            if step > 0 { isRevoked.toggle() }
            charge.revokedAt = isRevoked ? now : nil
            let kindOfEvent: EventKind = isRevoked ? .refundCompleted : step == 0 ? .purchaseCompleted : .refundReversed
            var observation = Observation(contract: key, kind: kind)
            (observation.token, observation.transaction) = (token, charge)
            append(observation, kind: kindOfEvent, now: now)
        }
        let held: ContractState =
            switch kind {
            case .consumable: .delivered
            case .nonConsumable: .owned
            case .nonRenewing, .subscription: .active
            }
        truth[key] = isRevoked ? .revoked : held
        end = max(end, now)
    }

    private mutating func mint(_ user: UserID, product: String) -> OrderToken {
        let token = OrderToken.random(using: &generator)
        orders.append(Order(token: token, user: user, product: product))
        return token
    }

    private mutating func pause(_ ties: Bool) -> Duration {
        if ties, Bool.random(using: &generator) { return .zero }
        return .milliseconds(Int64.random(in: 1...2_000_000_000, using: &generator))
    }

    private mutating func append(_ observation: Observation, kind: EventKind, now: Instant) {
        let number = UInt32.random(in: 0 ... .max, using: &generator)
        events.append(
            Event(
                provider: .apple,
                environment: .production,
                app: "com.example",
                id: "\(observation.contract.lineage)-\(events.count)-\(number)",
                type: "SIMULATED",
                kind: kind,
                signedAt: now,
                observation: observation,
                body: Array("{}".utf8)
            )
        )
    }
}

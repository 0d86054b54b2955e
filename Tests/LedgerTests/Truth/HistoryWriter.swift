import Domain
import TestSupport

/// Writes a history: the same one for the same seed.
struct HistoryWriter {
    /// Precedes every name, so that one ledger can hold many histories.
    let prefix: String
    private(set) var history: History
    private var generator: SeededGenerator
    private var count = 0
    /// Two things may happen in the same millisecond.
    private let hasTies: Bool

    init(seed: UInt64, policy: TransferPolicy) {
        prefix = "\(seed)"
        history = History(seed: seed, policy: policy)
        hasTies = seed.isMultiple(of: 3)
        generator = SeededGenerator(seed: seed)
    }

    static func history(seed: UInt64) -> History {
        let policies = TransferPolicy.allCases
        var writer = HistoryWriter(seed: seed, policy: policies[Int(seed % UInt64(policies.count))])
        let stores: [(inout HistoryWriter) -> Void] = [
            { $0.writeApple() }, { $0.writeGoogle() }, { $0.writeStripe() }, { $0.writeRevenueCat() },
            { $0.writePurchaseKit() }, { $0.writeSignIn() },
        ]
        let first = writer.number(in: 0...(stores.count - 1))
        stores[first](&writer)
        // Many users hold contracts of two stores.
        if writer.chance(3) { stores[(first + writer.number(in: 1...(stores.count - 1))) % stores.count](&writer) }
        writer.history.finish()
        return writer.history
    }

    // MARK: Chance

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[number(in: 0...(elements.count - 1))] }

    mutating func pause() -> Duration {
        hasTies && chance(8) ? .zero : .milliseconds(Int64.random(in: 1...2_000_000_000, using: &generator))
    }

    // MARK: Names

    mutating func user(_ name: String) -> UserID {
        let user: UserID = "\(prefix)-\(name)"
        if !history.users.contains(user) { history.users.append(user) }
        return user
    }

    mutating func id() -> String {
        count += 1
        return "\(prefix)-\(count)-\(UInt16.random(in: 0 ... .max, using: &generator))"
    }

    func key(_ provider: Provider, lineage: String) -> ContractKey {
        ContractKey(provider: provider, environment: .production, app: "app", lineage: "\(prefix)-\(lineage)")
    }

    // MARK: What happens

    /// An order is usually placed before the purchase; an app that mints tokens itself may tell us later.
    mutating func order(of user: UserID, at now: Instant) -> OrderToken {
        let token = OrderToken.random(using: &generator)
        let placedAt = chance(4) ? now + .milliseconds(Int64(number(in: 0...1_000_000_000))) : now
        let order = Order(token: token, user: user, product: "monthly")
        add(HistoryStep(name: "order of \(user)", at: placedAt, content: .order(order)))
        return token
    }

    mutating func event(
        _ provider: Provider,
        kind: EventKind,
        at now: Instant,
        signedAt: Instant? = nil,
        observation: Observation?
    ) -> Event {
        Event(
            provider: provider,
            environment: .production,
            app: "app",
            id: id(),
            type: "SIMULATED",
            kind: kind,
            signedAt: signedAt ?? now,
            observation: observation,
            body: Array("{}".utf8)
        )
    }

    /// Nothing more happens to `timeline` in this history.
    mutating func finish(_ timeline: StoreTimeline) {
        if !hasTies { history.timelines.append(timeline) }
    }

    mutating func deliver(_ event: Event, at now: Instant) {
        add(HistoryStep(name: describe(event), at: now, content: .event(event)))
    }

    mutating func add(_ delivery: HistoryStep) {
        history.deliveries.append(delivery)
        history.end = max(history.end, delivery.at)
    }

    func describe(_ event: Event) -> String {
        let observation = event.observation
        let parts: [String?] = [
            event.provider.rawValue, event.kind.rawValue, observation?.contract.lineage,
            observation?.snapshot.map { "\($0.state.rawValue) \($0.product) until \($0.accessUntil?.iso8601 ?? "-")" },
            observation?.transaction.map { "charge \($0.id) \($0.product)\($0.revokedAt == nil ? "" : " revoked")" },
            observation?.token.map { "token \($0.description.prefix(8))" }, observation?.user.map { "user \($0)" },
            observation?.account.map { "account \($0)" }, observation?.previousLineage.map { "replaces \($0)" },
            event.transfer.map { "from \($0.from) to \($0.to)" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

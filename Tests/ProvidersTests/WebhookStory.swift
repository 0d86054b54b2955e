import Domain
import Testing

/// What a page is told while a store's events arrive, by the real rules of contracts and holdings.
struct WebhookStory {
    private var contracts: [ContractKey: Contract] = [:]
    private var held: [ContractKey: Holding] = [:]
    private let policy = AccessPolicy(sandboxUsers: .all)

    /// Where the event left its contract, and `target=fragment` of what the page was told.
    @discardableResult
    mutating func take(_ event: Event, at now: Instant) -> (standing: Standing?, fragments: Set<String>) {
        guard let observation = event.observation else { return (nil, []) }
        let key = observation.contract
        let before = holdings
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        let standing = contract.standing(at: now)
        held[key] = standing.map { Holding(of: contract, standing: $0) }
        let told = Announcement.announcements(before: before, after: holdings, contract: key)
        return (standing, Set(told.map { "\($0.target.rawValue)=\($0.name.rawValue)" }))
    }

    /// Where the only contract stands.
    func standing(at now: Instant) -> Standing? {
        contracts.count == 1 ? contracts.values.first?.standing(at: now) : nil
    }

    /// Whether the user has access by anything.
    var isActive: Bool { holdings.isActive }

    private var holdings: Holdings { Holdings(user: "42", Array(held.values), policy: policy) }
}

import Ledger
import Support
import TestSupport

@testable import Domain
@testable import Simulator

/// A buyer, a purchase at one store, and the ledger that receives the store's events.
final class TableScenario {
    /// What one statement did.
    struct Effect {
        var notice: Notice
        var fragments: [String]
        /// The values that the templates of its own fragments may show.
        var shown: [[String: String]]
        var held: UserEntitlements
        /// What the last entry about the buyer says of the buyer.
        var told: [EntitlementSummary]?
    }

    static let start = AppleFixture.now
    static let buyer: UserID = "42"
    static let sister: UserID = "sister"
    static let token = OrderToken.random()
    static let sistersToken = OrderToken.random()
    /// The lineage of every case's purchase, unless the store makes one of its own.
    static let lineage = "2000000000000001"
    static let catalog = Catalog([
        "keep": .init(kind: .nonConsumable), "coins": .init(kind: .consumable),
        "season": .init(kind: .nonRenewing, duration: .days(40)),
    ])

    let ledger: TemporaryLedger
    private let wire: any StoreWire
    private let provider: Provider
    private(set) var now = TableScenario.start
    private(set) var events: [Event] = []
    private var facts: SimulatedSubscription
    private var position = Int64(0)

    convenience init(
        _ given: TableCase,
        shape: SimulatedStripe.Shape = .current,
        catalog: Catalog = TableScenario.catalog
    ) throws {
        try self.init(given.provider, sells: given.sold, asksStore: given.asksStore, shape: shape, catalog: catalog)
    }

    init(
        _ provider: Provider,
        sells sold: ProductKind,
        asksStore: Bool = false,
        shape: SimulatedStripe.Shape,
        catalog: Catalog
    ) throws {
        var policy = AccessPolicy(sandboxUsers: .only([]), catalog: catalog)
        policy.leeway = .seconds(300)
        ledger = try TemporaryLedger(now: TableScenario.start, policy: policy)
        self.provider = provider
        facts = SimulatedSubscription(
            product: TableScenario.product(sold),
            kind: sold,
            lineage: TableScenario.lineage
        )
        wire =
            switch provider {
            case .apple: try AppleWire()
            case .google: try GoogleWire(catalog, clock: ledger.clock)
            case .stripe: try StripeWire(catalog, shape: shape, asksStore: asksStore)
            default: try SecretWire(provider, catalog: catalog)
            }
        for (user, token) in [
            (TableScenario.buyer, TableScenario.token), (TableScenario.sister, TableScenario.sistersToken),
        ] {
            _ = try ledger.order(OrderRequest(user: user, product: facts.product, token: token))
        }
    }

    deinit {
        ledger.remove()
    }

    static func product(_ kind: ProductKind) -> String {
        switch kind {
        case .subscription: SimulatedProduct.monthly.id
        case .nonRenewing: "season"
        case .nonConsumable: "keep"
        case .consumable: "coins"
        }
    }

    @discardableResult
    func deliver(_ statement: StoreStatement) throws -> Effect {
        if !events.isEmpty { now = now + statement.pause }
        ledger.clock.set(to: now)
        let (type, subtype) = LifecycleEventNames.split(statement.words)
        var asked = SimulatedEvent(
            type: type,
            subtype: subtype,
            facts: facts,
            user: TableScenario.buyer.text,
            token: TableScenario.token,
            environment: .production,
            now: now
        )
        statement.change(&asked)
        let event = try wire.event(asked, edits: statement.edits, claimed: statement.claimant != nil)
        events.append(event)
        _ = try ledger.send(event, claim: statement.claimant.map { Claim(user: UserID($0)) }, receivedAt: now)
        let effect = try effect(of: event.id)
        var meant = asked.facts
        meant.isTrial = facts.isTrial
        if meant == facts { remember(effect) }
        return effect
    }

    /// What was committed up to now is no statement's effect.
    func forgetEntries() throws { position = try ledger.entries(after: position).entries.last?.position ?? position }

    /// What was committed since the last statement, including the end of access.
    private func effect(of event: String) throws -> Effect {
        let entries = try ledger.entries(after: position).entries
        position = entries.last?.position ?? position
        guard let own = entries.first(where: { $0.notice.event == event }) else { throw LedgerError.busy }
        let fragments = entries.flatMap(\.fragments).map { fragment in
            let user = StreamPattern.standard.user(of: fragment.stream)
            let name = [fragment].summary.first ?? ""
            let what = fragment.target == nil ? fragment.action : name
            return user == TableScenario.buyer ? what : "\(user?.text ?? "nobody") \(what)"
        }
        let shown = own.fragments.compactMap { fragment in
            if case .template(_, let values) = fragment.content { values } else { nil }
        }
        let held = try ledger.entitlements(TableScenario.buyer)
        let told = entries.last { $0.notice.user == TableScenario.buyer && $0.notice.entitlements != nil }
        return Effect(
            notice: own.notice,
            fragments: fragments,
            shown: shown,
            held: held,
            told: told?.notice.entitlements
        )
    }

    /// The facts that the store's next statement builds on.
    private func remember(_ effect: Effect) {
        guard let lineage = effect.notice.contract, let state = effect.notice.state else { return }
        facts.lineage = lineage
        facts.state = state
        facts.accessUntil = effect.notice.accessUntil
        if provider == .google {
            facts.startedAt = events.last?.observation?.transaction?.purchasedAt ?? facts.startedAt
        }
        guard let held = effect.held.contracts.first(where: { $0.contract == lineage }) else { return }
        facts.product = held.product
        facts.pendingProduct = held.pendingProduct
        facts.autoRenew = held.autoRenew ?? true
        facts.isTrial = held.trialEndsAt != nil
    }
}

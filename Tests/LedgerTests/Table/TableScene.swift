import Concurrency
import Domain
import Simulator
import TestSupport

@testable import Ledger

/// A buyer, a purchase at one store, and the ledger that hears of it.
final class TableScene {
    /// What one thing that was said did.
    struct Heard {
        var notice: Notice
        var fragments: [String]
        /// What the templates of its own fragments may show.
        var shown: [[String: String]]
        var held: UserEntitlements
    }

    static let start = AppleStage.now
    static let buyer: UserID = "42"
    static let sister: UserID = "sister"
    static let token = OrderToken.random()
    static let sistersToken = OrderToken.random()
    /// The lineage of every case's purchase, as far as the store leaves it alone.
    static let lineage = "2000000000000001"
    static let catalog = Catalog([
        "keep": .init(kind: .nonConsumable), "coins": .init(kind: .consumable),
        "season": .init(kind: .nonRenewing, duration: .seconds(40 * 86_400)),
    ])

    let ledger: TemporaryLedger
    private let wire: any StoreWire
    private let provider: Provider
    private(set) var now = TableScene.start
    private var facts: SimulatedSubscription
    private var position = Int64(0)
    private var count = 0

    init(_ given: TableCase) throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), catalog: TableScene.catalog, leeway: .seconds(300))
        ledger = try TemporaryLedger(now: TableScene.start, policy: policy)
        provider = given.provider
        facts = SimulatedSubscription(
            product: TableScene.product(given.sold),
            kind: given.sold,
            lineage: TableScene.lineage
        )
        wire =
            switch provider {
            case .apple: try AppleWire()
            case .google: try GoogleWire(TableScene.catalog, clock: ledger.clock)
            case .stripe: try StripeWire(TableScene.catalog, asksStore: given.asksStore)
            case .revenuecat: RevenueCatWire(catalog: TableScene.catalog)
            default: PurchaseKitWire(catalog: TableScene.catalog)
            }
        for (user, token) in [(TableScene.buyer, TableScene.token), (TableScene.sister, TableScene.sistersToken)] {
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
    func say(_ said: Said) throws -> Heard {
        if count > 0 { now = now + said.pause }
        count += 1
        ledger.clock.set(to: now)
        let (type, subtype) = StoreVocabulary.split(said.words)
        var asked = SimulatedEvent(
            type: type,
            subtype: subtype,
            facts: facts,
            user: TableScene.buyer.text,
            token: TableScene.token,
            environment: .production,
            now: now
        )
        said.change(&asked)
        let event = try wire.event(asked, said.bends, claimed: said.claimant != nil)
        _ = try ledger.send(event, claim: said.claimant.map { Claim(user: UserID($0)) }, receivedAt: now)
        let heard = try hear(event.id)
        if asked.facts == facts { remember(heard) }
        return heard
    }

    /// What was committed since the last time, the end of access by itself included.
    private func hear(_ event: String) throws -> Heard {
        let entries = try ledger.entries(after: position).entries
        position = entries.last?.position ?? position
        guard let own = entries.first(where: { $0.notice.event == event }) else { throw LedgerError.busy }
        let fragments = entries.flatMap(\.fragments).map { fragment in
            let user = StreamPattern.standard.user(of: fragment.stream)
            let name = [fragment].summary.first ?? ""
            let what = fragment.target == nil ? fragment.action : name
            return user == TableScene.buyer ? what : "\(user?.text ?? "nobody") \(what)"
        }
        let shown = own.fragments.compactMap { fragment in
            if case .template(_, let values) = fragment.content { values } else { nil }
        }
        let held = try ledger.entitlements(TableScene.buyer)
        return Heard(notice: own.notice, fragments: fragments, shown: shown, held: held)
    }

    /// What the store builds on when it speaks next.
    private func remember(_ heard: Heard) {
        guard let lineage = heard.notice.contract, let state = heard.notice.state else { return }
        (facts.lineage, facts.state, facts.accessUntil) = (lineage, state, heard.notice.accessUntil)
        guard let held = heard.held.entitlements.first(where: { $0.contract == lineage }) else { return }
        facts.product = held.product
        facts.pendingProduct = held.pendingProduct
        facts.autoRenew = held.autoRenew ?? true
    }
}

import TestSupport

@testable import Domain
@testable import Ledger

/// A ledger on the test's own thread; it checks what every commit does.
final class TruthLedger {
    /// Something that must never happen.
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// What one user has in the end.
    struct Final: Equatable, CustomStringConvertible {
        var held: [ContractSummary]
        var isActive: Bool
        var pages: [String: String]
        /// What the user was charged.
        var charges: [Charge] = []

        var description: String {
            let contracts = held.map { entitlement in
                let end = entitlement.accessUntil?.iso8601 ?? "-"
                let renews = entitlement.autoRenew.map(String.init) ?? "-"
                let next = entitlement.pendingProduct ?? "-"
                return "\(entitlement.contract) \(entitlement.product) \(entitlement.state.rawValue) "
                    + "active=\(entitlement.isActive) until \(end) renews=\(renews) next=\(next) x\(entitlement.quantity ?? 0)"
            }
            return "active=\(isActive) \(contracts) \(pages) \(charges)"
        }
    }

    private var store: LedgerRepository
    /// For each user: target → newest fragment.
    private var pages: [UserID: [String: String]] = [:]
    private var newest: [ContractKey: Instant] = [:]
    private var keys: Set<ContractKey> = []
    private var users: [UserID] = []
    /// Google only says which charge is the newest one when it is asked: of those before it, nothing is learned then.
    private var readsLate = false

    init(policy: TransferPolicy) throws {
        store = try TemporaryLedger.repository(
            AccessPolicy(sandboxUsers: .only([]), catalog: TruthLedger.catalog, transfers: policy)
        )
    }

    /// For questions, which do not depend on the time.
    private let start = Instant(milliseconds: 0)

    static let catalog = Catalog(
        [
            "monthly": Catalog.Product(group: "premium", level: 1, entitlements: [pro]),
            "yearly": Catalog.Product(group: "premium", level: 2, entitlements: [pro, maps]),
            "season": Catalog.Product(kind: .nonRenewing, duration: .days(40), entitlements: [maps]),
            "lifetime": Catalog.Product(entitlements: [pro]), "keep": Catalog.Product(entitlements: [pro]),
            "paycast.pro.monthly": Catalog.Product(entitlements: [pro]),
            "paycast.pro.annual": Catalog.Product(entitlements: [pro, maps]),
            "paycast.lifetime": Catalog.Product(entitlements: [maps]),
            "paycast.storage": Catalog.Product(entitlements: [maps]),
            "paycast.team": Catalog.Product(entitlements: [pro]),
        ],
        entitlements: [pro, maps]
    )
    private static let pro = EntitlementName("pro") ?? .standard
    private static let maps = EntitlementName("maps") ?? .standard

    /// Delivers everything, lets all time pass, and returns what is left.
    func run(_ arrivals: [Arrived], of users: [UserID], until end: Instant) throws -> [UserID: Final] {
        readsLate = false
        pages = [:]
        newest = [:]
        keys = []
        self.users = users
        try store.begin()
        for (at, delivery) in arrivals {
            try check(store.entries { try $0.endAccess(now: at) })
            switch delivery.content {
            case .order(let order):
                let request = OrderRequest(user: order.user, product: order.product, token: order.token)
                try check(store.place(request, now: at))
            case .event(let event): try record(IncomingEvent(event, receivedAt: at), at: at)
            case .read(let make):
                readsLate = true
                try record(IncomingEvent(make(at), receivedAt: at), at: at)
            case .post(let event, let claim):
                try record(IncomingEvent(event, claim: claim, receivedAt: at), at: at)
            }
        }
        try check(store.entries { try $0.endAccess(now: end) })
        let final = try users.reduce(into: [:]) { $0[$1] = try self.final(of: $1, at: end) }
        try store.commit()
        return final
    }

    /// A contract whose state at the store differs from the ledger's.
    func contradiction(of timelines: [StoreTimeline], at end: Instant) throws -> String? {
        for timeline in timelines {
            var timeline = timeline
            timeline.pass(to: end)
            let state = try contract(timeline.key)?.status.state
            if state != timeline.state {
                return "\(timeline.key.lineage) is \(timeline.state.rawValue), not \(state?.rawValue ?? "unknown")"
            }
        }
        return nil
    }

    private func record(_ incoming: IncomingEvent, at now: Instant) throws {
        let contracts = ([incoming.event.observation].compactMap(\.self) + incoming.event.further).map(\.contract)
        keys.formUnion(contracts)
        try check(store.record(incoming, now: now))
        for key in contracts { try checkAge(of: key) }
    }

    private func contract(_ key: ContractKey) throws -> TrackedContract? {
        try store.decide(at: start) { unit in try unit.ledger.contract(key) }
    }

    private func checkAge(of key: ContractKey) throws {
        guard let row = try contract(key) else { return }
        let stated = row.contract.snapshot?.snapshot.signedAt ?? Instant(milliseconds: .min)
        guard stated >= newest[key] ?? stated else { throw Violation(description: "\(key.lineage) stepped back") }
        newest[key] = stated
    }

    /// Every fragment agrees with what is committed.
    private func check(_ entries: [Entry]) throws {
        for fragment in entries.flatMap(\.fragments) {
            guard case .template(let name, let values) = fragment.content,
                let user = values["user"].map({ UserID($0) }), let target = fragment.target
            else { continue }
            pages[user, default: [:]][target] = "\(name) \(words(values))"
        }
        // All users, not only those who got something: a fragment that was never sent must fail as well.
        for user in users { try checkPages(of: user) }
    }

    private func checkPages(of user: UserID) throws {
        let rows = try store.decide(at: start) { unit in try unit.ledger.contracts(.held(by: user)) }
        let held = rows.map { $0.heldContract(store.policy.catalog) }
        let set = EntitlementSet(user: user, held: held, policy: store.policy)
        for entitlement in set.entitlements {
            try check(entitlement, of: user)
            let opening = held.filter { $0.opens.contains(entitlement.name) }.byKey
            // All that the user holds, also what was replaced: only by its replacement is it over.
            let own = held.filter { opening[$0.contract] != nil || $0.replaces.map { opening[$0] != nil } ?? false }
            let alone = EntitlementSet(user: user, held: own, policy: store.policy)
            guard alone.entitlements.first(where: { $0.name == entitlement.name }) == entitlement else {
                throw Violation(description: "\(user)'s \(entitlement.name) depends on what does not open it")
            }
        }
    }

    /// The newest banner of an entitlement is its winner's, and the newest paywall agrees with access.
    private func check(_ entitlement: Entitlement, of user: UserID) throws {
        let page = pages[user] ?? [:]
        func shown(_ target: PageTarget) -> String? { page[target.id(of: entitlement.name, in: store.policy.catalog)] }
        if let banner = shown(.subscriptionStatus) {
            let expected = entitlement.winner.map { "\(fragment(of: $0)) \(words($0.templateValues(user: user)))" }
            // What opened it has gone to somebody else, or turned out to open something else, or nothing.
            let isRight = expected.map { $0 == banner } ?? (banner.hasPrefix("moved ") || banner.hasPrefix("paywall "))
            guard isRight else {
                throw Violation(description: "\(user) sees \(banner) instead of \(expected ?? "moved")")
            }
        } else if let winner = entitlement.winner {
            throw Violation(description: "\(user) was never told of \(winner.contract.lineage)")
        }
        guard !entitlement.isActive || shown(.paywall) != nil else {
            throw Violation(description: "\(user) has \(entitlement.name) and was never told")
        }
        if let paywall = shown(.paywall), entitlement.winner != nil {
            let isOpen = TruthLedger.open.contains { paywall.hasPrefix("\($0.rawValue) ") }
            guard isOpen == entitlement.isActive, !paywall.contains(" delivered ") else {
                throw Violation(description: "\(user) sees \(paywall), active: \(entitlement.isActive)")
            }
            // It shows the contract as it is now, not as it was at the purchase.
            let held = entitlement.contracts.flatMap { cards($0, of: user) }
            guard !isOpen || held.contains(paywall) else {
                throw Violation(description: "\(user) sees \(paywall) instead of one of \(held)")
            }
        }
    }

    private func fragment(of winner: HeldContract) -> String {
        let set = EntitlementSet(
            user: "",
            held: [winner],
            policy: AccessPolicy(sandboxUsers: .any, catalog: store.policy.catalog)
        )
        return Announcement.current(set).first?.name.rawValue ?? ""
    }

    /// The fragments of a user who has access.
    private static let open: [FragmentName] = [.success, .manage, .ending, .warnBilling]

    /// What `paywall` may show for a contract: that it was bought or how it goes on; after a failed payment, only the
    /// warning.
    private func cards(_ heldContract: HeldContract, of user: UserID) -> [String] {
        let names: [FragmentName] =
            switch (
                heldContract.status.state, heldContract.status.pendingProduct == nil && !heldContract.status.isPausing
            ) {
            case (.inGracePeriod, _): [.warnBilling]
            case (.cancelled, _), (.active, false): [.success, .ending]
            default: [.success, .manage]
            }
        return names.map { "\($0.rawValue) \(words(heldContract.templateValues(user: user)))" }
    }

    private func words(_ values: [String: String]) -> String {
        ["state", "product", "access_until_iso", "pending_product"].map { values[$0] ?? "" }.joined(separator: " ")
    }

    private func final(of user: UserID, at now: Instant) throws -> Final {
        var rows: [TrackedContract] = []
        for key in keys.sorted(by: { "\($0)" < "\($1)" }) {
            guard let row = try contract(key), row.holders.contains(user) else { continue }
            guard row.status == row.contract.status(at: now, policy: store.policy) else {
                throw Violation(description: "\(key.lineage) is not what was announced")
            }
            rows.append(row)
        }
        let entitlements = rows.map { $0.heldContract(store.policy.catalog) }
        let union = EntitlementSet(user: user, held: entitlements, policy: store.policy)
        let ordered = union.ranked + entitlements.filter { union[$0.contract] == nil }
        if let endless = entitlements.first(where: { $0.kind == .subscription && $0.isEndless }) {
            throw Violation(description: "\(endless.contract.lineage) gives access for ever")
        }
        return Final(
            held: ordered.filter { !isOverBesides($0) }.map { $0.summary(isHonoured: union[$0.contract] != nil) },
            isActive: union.isActive,
            pages: union.entitlements.reduce(into: [:]) { told, entitlement in
                guard let winner = entitlement.winner else { return }
                let id = PageTarget.subscriptionStatus.id(of: entitlement.name, in: store.policy.catalog)
                told[id] = words(of: pages[user]?[id] ?? "nothing", about: winner)
            },
            charges: try rows.filter { !readsLate || $0.key.provider != .google }.flatMap { try charges(of: $0.key) }
        )
    }

    private func charges(of key: ContractKey) throws -> [Charge] {
        try store.decide(at: start) { unit in
            try unit.ledger.charges(of: key).sorted().compactMap { id in
                try unit.ledger.charges(ChargeName(id, of: key))[key]
            }
        }
    }

    /// A further product that is no longer listed has ended, and no store says when. One that is added and removed
    /// between two readings is never seen. So only products that give access are compared.
    private func isOverBesides(_ heldContract: HeldContract) -> Bool {
        heldContract.contract.purchase != nil && heldContract.status.state == .expired
    }

    /// Which of several ended products ended last may depend on one that was never reported.
    private func words(of banner: String, about winner: HeldContract) -> String {
        winner.status.state == .expired ? String(banner.prefix { $0 != " " }) : banner
    }
}

extension HeldContract {
    fileprivate var isEndless: Bool { status.isActive && status.accessUntil == nil }
}

import Domain
import TestSupport

@testable import Ledger

/// A ledger on the test's own thread, in memory; it checks what every commit does.
final class TruthLedger {
    /// Something that must never happen.
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// What is left in the end, of one user.
    struct Final: Equatable, CustomStringConvertible {
        var held: [Entitlement]
        var isActive: Bool
        var pages: [String: String]

        var description: String {
            let contracts = held.map {
                "\($0.contract) \($0.product) \($0.state.rawValue) active=\($0.isActive) until \($0.accessUntil?.iso8601 ?? "-") renews=\($0.autoRenew.map(String.init) ?? "-") next=\($0.pendingProduct ?? "-") x\($0.quantity ?? 0)"
            }
            return "active=\(isActive) \(contracts) \(pages)"
        }
    }

    private let store: LedgerStore
    /// Of each user: element → the newest fragment.
    private var pages: [UserID: [String: String]] = [:]
    private var newest: [ContractKey: Instant] = [:]
    private var keys: Set<ContractKey> = []
    private var users: [UserID] = []

    init(policy: TransferPolicy) throws {
        let store = try LedgerStore(
            path: ":memory:",
            policy: AccessPolicy(sandboxUsers: .only([]), catalog: TruthLedger.catalog, transfers: policy),
            streams: .standard,
            lockTimeout: .zero
        )
        self.store = store
    }

    static let catalog = Catalog([
        "monthly": Catalog.Product(group: "premium", level: 1), "yearly": Catalog.Product(group: "premium", level: 2),
        "season": Catalog.Product(kind: .nonRenewing, duration: .seconds(40 * 86_400)),
    ])

    /// Delivers everything, lets all time pass, and returns what is left.
    func run(_ arrivals: [Arrived], of users: [UserID], until end: Instant) throws -> [UserID: Final] {
        pages = [:]
        newest = [:]
        keys = []
        self.users = users
        try store.statements.begin.run()
        for (at, delivery) in arrivals {
            try check(store.endAccess(now: at).entries)
            switch delivery.content {
            case .order(let order):
                let request = OrderRequest(user: order.user, product: order.product, token: order.token)
                try check(store.place(request, now: at).entries)
            case .event(let event): try record(IncomingEvent(event: event, receivedAt: at, now: at))
            case .read(let make): try record(IncomingEvent(event: make(at), receivedAt: at, now: at))
            case .post(let event, let claim):
                try record(IncomingEvent(event: event, claim: claim, receivedAt: at, now: at))
            }
        }
        try check(store.endAccess(now: end).entries)
        let final = try users.reduce(into: [:]) { $0[$1] = try self.final(of: $1, end) }
        try store.statements.commit.run()
        return final
    }

    /// What a store thinks, and we do not.
    func contradiction(of lives: [StoreLife], at end: Instant) throws -> String? {
        for life in lives {
            var life = life
            life.pass(to: end)
            let state = try store.contract(life.key)?.status.state
            if state != life.state {
                return "\(life.key.lineage) is \(life.state.rawValue), not \(state?.rawValue ?? "unknown")"
            }
        }
        return nil
    }

    private func record(_ incoming: IncomingEvent) throws {
        let said = ([incoming.event.observation].compactMap(\.self) + incoming.event.further).map(\.contract)
        keys.formUnion(said)
        try check(store.record(incoming).entries)
        for key in said { try checkAge(of: key) }
    }

    private func checkAge(of key: ContractKey) throws {
        guard let row = try store.contract(key) else { return }
        let stated = row.contract.snapshot?.snapshot.signedAt ?? Instant(milliseconds: .min)
        guard stated >= newest[key] ?? stated else { throw Violation(description: "\(key.lineage) stepped back") }
        newest[key] = stated
    }

    /// Every fragment says what is committed.
    private func check(_ entries: [Entry]) throws {
        for fragment in entries.flatMap(\.fragments) {
            guard case .template(let name, let values) = fragment.content,
                let user = values["user"].map({ UserID($0) }), let target = fragment.target
            else { continue }
            pages[user, default: [:]][target] = "\(name) \(words(values))"
        }
        // Of all, not only of those who were told something: a fragment that is never sent must be noticed too.
        for user in users { try checkPages(of: user) }
    }

    /// The newest banner is the winner's, and the newest paywall agrees with access.
    private func checkPages(of user: UserID) throws {
        let entitlements = EntitlementSet(
            user: user,
            try store.entitlements(of: user, except: nil),
            policy: store.policy
        )
        let page = pages[user] ?? [:]
        if let banner = page[PageTarget.subscriptionStatus.rawValue] {
            let expected = Announcement.current(entitlements).last.map {
                "\($0.name.rawValue) \(words($0.heldContract.templateValues(user: user)))"
            }
            // A refund that comes before its purchase does not tell that it is a consumable's, of which banners are silent.
            let isRight = expected.map { $0 == banner } ?? (banner.hasPrefix("moved ") || banner.hasPrefix("revoked "))
            guard isRight else {
                throw Violation(description: "\(user) sees \(banner) instead of \(expected ?? "moved")")
            }
        } else if let winner = entitlements.winner {
            throw Violation(description: "\(user) was never told of \(winner.contract.lineage)")
        }
        guard !entitlements.isActive || page[PageTarget.paywall.rawValue] != nil else {
            throw Violation(description: "\(user) has access and was never told")
        }
        if let paywall = page[PageTarget.paywall.rawValue], entitlements.winner != nil {
            let isOpen = TruthLedger.open.contains { paywall.hasPrefix("\($0.rawValue) ") }
            let opens = isOpen && !paywall.contains(" delivered ")
            let isConsumable = paywall.contains(" coins ")
            guard opens == entitlements.isActive || isConsumable else {
                throw Violation(description: "\(user) sees \(paywall), active: \(entitlements.isActive)")
            }
            // As it is now, not as it was when it was bought.
            let held = entitlements.ranked.flatMap { cards($0, user) }
            guard !opens || isConsumable || held.contains(paywall) else {
                throw Violation(description: "\(user) sees \(paywall) instead of one of \(held)")
            }
        }
    }

    /// The fragments of a user who has access.
    private static let open: [FragmentName] = [.success, .manage, .ending, .warnBilling]

    /// What `paywall` may say of a contract: that it was bought, or how it goes on; never both while a payment has failed.
    private func cards(_ heldContract: HeldContract, _ user: UserID) -> [String] {
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

    private func final(of user: UserID, _ now: Instant) throws -> Final {
        var rows: [ContractRow] = []
        for key in keys.sorted(by: { "\($0)" < "\($1)" }) {
            guard let row = try store.contract(key), row.holders.contains(user) else { continue }
            guard row.status == row.contract.status(at: now, policy: store.policy) else {
                throw Violation(description: "\(key.lineage) is not what was announced")
            }
            rows.append(row)
        }
        let entitlements = rows.map { $0.heldContract(store.policy.catalog) }
        let union = EntitlementSet(user: user, entitlements, policy: store.policy)
        let ordered = union.ranked + entitlements.filter { union[$0.contract] == nil }
        let banner = pages[user]?[PageTarget.subscriptionStatus.rawValue] ?? "nothing"
        return Final(
            held: ordered.filter { !isOverBesides($0) }.map { $0.entitlement(isHonoured: union[$0.contract] != nil) },
            isActive: union.isActive,
            pages: union.winner.map { ["subscription_status": words(of: banner, about: $0)] } ?? [:]
        )
    }

    /// A further product that is no longer listed has ended, and no store says when. One that was added and taken out
    /// between two readings nobody ever hears of. So what is over is compared by what gives access, and by nothing else.
    private func isOverBesides(_ heldContract: HeldContract) -> Bool {
        heldContract.contract.purchase != nil && heldContract.status.state == .expired
    }

    /// Which of several ended products is the last one may depend on one that nobody heard of.
    private func words(of banner: String, about winner: HeldContract) -> String {
        winner.status.state == .expired ? String(banner.prefix { $0 != " " }) : banner
    }
}

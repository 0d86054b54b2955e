/// What a commit says about one consumable. It happens once, to the purchase: a purchase that goes to another user was handed
/// out before, so nobody is told of it again.
struct PurchaseNews {
    /// What the backend is told; nil while a payment is waited for.
    let hook: HookType?

    /// Nil when nothing has happened that the owner waits for, or has to know.
    init?(before: TrackedContract?, after: TrackedContract, policy: AccessPolicy) {
        guard let state = after.handedOut(by: policy) else { return nil }
        let previous = before?.handedOut(by: policy)
        let isNews =
            switch state {
            case .delivered: previous != .delivered
            case .pending: previous == nil || previous == .expired
            // What nobody was shown is not missed: a purchase may be refunded before somebody claims it.
            default: previous == .delivered || previous == .pending
            }
        guard isNews else { return nil }
        hook =
            switch (previous, state) {
            case (_, .delivered): .purchaseDelivered
            case (.delivered, _): .purchaseRevoked
            default: nil
            }
    }
}

extension TrackedContract {
    /// The state of a consumable that is somebody's; nil for anything else, and for what the policy does not honor.
    fileprivate func handedOut(by policy: AccessPolicy) -> ContractState? {
        guard contract.kind == .consumable, let user, policy.opensAccess(for: user, in: key.environment) else {
            return nil
        }
        return status.state
    }
}

extension UnitOfWork {
    /// Tells the owners of consumables, on their pages and through the backend, with the last entry of each purchase.
    mutating func announcePurchases() throws {
        var before: [ContractKey: TrackedContract?] = [:]
        var last: [ContractKey: Int] = [:]
        for (index, item) in unannounced.enumerated() where item.change.current.contract.kind == .consumable {
            if before[item.change.key] == nil { before[item.change.key] = .some(item.change.previous) }
            last[item.change.key] = index
        }
        for index in last.values.sorted() {
            let (change, entry) = unannounced[index]
            guard let user = change.current.user, user != importer, let previous = before[change.key],
                let news = PurchaseNews(before: previous, after: change.current, policy: policy)
            else { continue }
            try add(try fragments(change, for: user), to: entry)
            if let hook = news.hook { queue(hook, about: change.current, of: user, entry: entry) }
        }
    }

    private func fragments(_ change: ContractChange, for user: UserID) throws -> [Fragment] {
        guard let stream = streams.stream(for: user) else { return [] }
        let held = change.current.heldContract(policy.catalog)
        let isBought = held.status.state == .delivered
        let values = held.templateValues(user: user, event: change.kind, reason: change.reason)
            .merging(try orderValues(of: held, for: user, isBought: isBought)) { $1 }
        return [
            Fragment(
                stream: stream,
                action: "replace",
                target: Fragment.purchaseTarget,
                content: .template(name: FragmentName.purchase.rawValue, values: values)
            )
        ]
    }

    private mutating func queue(_ type: HookType, about tracked: TrackedContract, of user: UserID, entry: Int) {
        guard policy.hooks.contains(where: { $0.types.contains(type) }) else { return }
        let position = changes.entries[entry].entry.position
        let purchase = ToldPurchase(contract: tracked.key, statedAt: tracked.contract.statedAt)
        changes.hooks.append(HookRecord(type: type, user: user, position: position, purchase: purchase))
    }
}

extension Contract {
    /// The date of the newest statement. It is the same in every ledger that knows the statement, and only grows.
    fileprivate var statedAt: Instant {
        let dates = [transaction?.transaction.signedAt, snapshot?.snapshot.signedAt]
        return dates.compactMap { $0 }.max() ?? Instant(milliseconds: 0)
    }
}

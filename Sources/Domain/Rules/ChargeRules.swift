/// The rows of charges. A statement adds to what is known of its charges, whether or not it is news about the contract.
extension UnitOfWork {
    /// Keeps what a statement says of charges. Returns what has become of the last of them.
    ///
    /// A refund that names no product is one of the charge, whichever contract it is told of: Stripe's names no subscription, and
    /// several products may share a charge. So it may come before the charge, and under another contract.
    mutating func record(_ stated: [Charge], of key: ContractKey, news isNews: Bool) throws -> NoticedCharge? {
        var noticed: NoticedCharge?
        for given in stated.joined {
            let statement = try withoutErasedOrder(given)
            let name = ChargeName(statement.id, of: key)
            let known = try ledger.charges(name)
            var merged = known
            merged[key, default: Charge(id: statement.id)].merge(statement)
            let refund = (stated.filter { $0.id.hasSameBytes(as: statement.id) } + merged.values).refundOfAll
            for (contract, charge) in merged.sorted(by: { $0.key.lineage < $1.key.lineage }) {
                var charge = charge
                charge.merge(refund)
                guard charge != known[contract] else { continue }
                ledger.changed(charge, of: contract)
                changes.charges.append((contract, charge))
                guard isNews, let news = ChargeNews(before: known[contract], after: charge) else { continue }
                noticed = NoticedCharge(id: charge.id, news: news)
                // Its entry comes next.
                let told = ToldPurchase(contract: contract, statedAt: Instant(milliseconds: 0), charge: charge.id)
                untold.append((told, news, changes.entries.count))
            }
        }
        return noticed
    }

    /// The store repeats an erased user's order for as long as somebody else has the purchase.
    private func withoutErasedOrder(_ charge: Charge) throws -> Charge {
        guard let token = charge.terms?.order, try ledger.isBuried(.order(token)) else { return charge }
        var charge = charge
        charge.terms?.order = nil
        return charge
    }

    /// Tells the backend of charges: of what is new about them, and of all of a purchase that has just got its owner. What comes
    /// to another owner was told to the first.
    mutating func announceCharges() throws {
        defer { untold = [] }
        guard policy.hooks.contains(where: { !$0.types.isDisjoint(with: [.purchaseMade, .purchaseRefunded]) }) else {
            return
        }
        var owned: Set<ContractKey> = []
        for (change, entry) in unannounced {
            guard let previous = change.previous, previous.user == nil, change.current.user != nil,
                owned.insert(change.key).inserted
            else { continue }
            for id in try ledger.charges(of: change.key) {
                guard let charge = try ledger.charges(ChargeName(id, of: change.key))[change.key] else { continue }
                try tell(charge, of: change.key, news: .made, entry: entry)
            }
        }
        for (told, news, entry) in untold where !owned.contains(told.contract) {
            guard let id = told.charge,
                let charge = try ledger.charges(ChargeName(id, of: told.contract))[told.contract]
            else { continue }
            try tell(charge, of: told.contract, news: news, entry: entry)
        }
    }

    /// A charge that was given back before anybody was told of it is told as both. What is imported is told to nobody: whoever
    /// imports it has booked it long ago.
    private mutating func tell(_ charge: Charge, of key: ContractKey, news: ChargeNews, entry: Int) throws {
        guard charge.terms != nil, let contract = try ledger.contract(key), let user = contract.user, user != importer,
            policy.opensAccess(for: user, in: key.environment)
        else { return }
        let position = changes.entries[entry].entry.position
        let told = ToldPurchase(contract: key, statedAt: Instant(milliseconds: position), charge: charge.id)
        let both: [ChargeNews] = news == .made && charge.refundedAt != nil ? [.made, .refunded] : [news]
        for news in both where policy.hooks.contains(where: { $0.types.contains(news.hook) }) {
            changes.hooks.append(HookRecord(type: news.hook, user: user, position: position, purchase: told))
        }
    }
}

extension [Charge] {
    /// What was given back of all that one charge paid for. Of a refund that is stated with a product, the others know nothing:
    /// Google takes back one of those that were bought together.
    fileprivate var refundOfAll: Charge.Refund? { filter { $0.terms == nil }.compactMap(\.refund).max() }

    /// One for each id: an event may name a charge, and give it back.
    fileprivate var joined: [Charge] {
        reduce(into: []) { joined, charge in
            if let index = joined.firstIndex(where: { $0.id.hasSameBytes(as: charge.id) }) {
                joined[index].merge(charge)
            } else {
                joined.append(charge)
            }
        }
    }
}

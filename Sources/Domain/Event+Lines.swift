/// One purchase may hold several products (Google's line items, the items of a Stripe subscription). The first keeps the
/// purchase's own id as its lineage; each further one has it with its own id behind it.
extension ContractKey {
    public func line(_ id: String) -> ContractKey {
        var key = self
        key.lineage = "\(lineage)#\(id)"
        return key
    }

    /// The contract of the purchase as a whole; nil for one that is not a further product.
    public var purchase: ContractKey? {
        guard provider.sellsLines, let name = lineage.lineName else { return nil }
        var key = self
        key.lineage = String(decoding: lineage.utf8.dropLast(name.utf8.count + 1), as: UTF8.self)
        return key
    }

    /// Between these two, both left out, are the lineages of all further products, in the order of their bytes. Nil
    /// where there are none.
    public var lineBounds: (lower: String, upper: String)? {
        provider.sellsLines ? (lineage + "#", lineage + "$") : nil
    }
}

extension Event {
    /// What it says of the further products, as events of their own: told apart by the product's id behind the event's.
    /// What is to be done is done once, for the purchase.
    public var lines: [Event] {
        further.map { line($0, id: "\(id)#\($0.contract.lineage.lineName ?? "")") }
    }

    /// The further product of `contract` is no longer part of the purchase, as of `instant`.
    public func ending(_ contract: ContractKey, product: String, at instant: Instant) -> Event {
        let end = Snapshot(state: .expired, product: product, autoRenew: false, accessUntil: instant, signedAt: instant)
        let observation = Observation(contract: contract, kind: .subscription, snapshot: end)
        var event = line(observation, id: "\(id)#\(contract.lineage.lineName ?? "")#end")
        event.kind = .subscriptionExpired
        return event
    }

    /// Itself or one of its lines, by the id under which the ledger keeps it; nil for an `ending`.
    public func filed(as id: String) -> Event? {
        guard provider.sellsLines, let name = id.lineName else { return self }
        var line = lines.first { $0.observation?.contract.lineage.lineName?.utf8.elementsEqual(name.utf8) == true }
        line?.id = id
        return line
    }

    private func line(_ observation: Observation, id: String) -> Event {
        var line = self
        line.id = id
        line.observation = observation
        line.further = []
        line.isWhole = false
        line.errands = []
        return line
    }
}

extension String {
    /// What stands behind the first `#`, which is in no id of these stores.
    fileprivate var lineName: String? {
        utf8.firstIndex(of: UInt8(ascii: "#")).map { String(decoding: utf8[utf8.index(after: $0)...], as: UTF8.self) }
    }
}

/// One purchase may hold several products (Google's line items, the items of a Stripe subscription). The first keeps
/// the purchase's own id as its lineage; each further one appends its own id to it.
extension ContractKey {
    public func line(_ id: String) -> ContractKey {
        var key = self
        key.lineage = "\(lineage)#\(id)"
        return key
    }

    /// The contract of the whole purchase; nil unless this is the key of a further product.
    public var purchase: ContractKey? {
        guard provider.sellsLines, let name = lineage.lineName else { return nil }
        var key = self
        key.lineage = String(decoding: lineage.utf8.dropLast(name.utf8.count + 1), as: UTF8.self)
        return key
    }

    /// The exclusive bounds, in byte order, of the lineages of all further products. Nil for stores that sell one
    /// product at a time.
    public var lineBounds: (lower: String, upper: String)? {
        provider.sellsLines ? (lineage + "#", lineage + "$") : nil
    }
}

extension Event {
    /// The event's statements about further products, each as an event. Each appends the product's id to the
    /// event's id. They have no jobs: those are done once, for the purchase.
    public var lines: [Event] {
        further.map { line($0, id: "\(id)#\($0.contract.lineage.lineName ?? "")") }
    }

    /// An event saying that the further product of `contract` is no longer part of the purchase, as of `instant`.
    public func ending(_ contract: ContractKey, product: String, at instant: Instant) -> Event {
        let end = Snapshot(state: .expired, product: product, autoRenew: false, accessUntil: instant, signedAt: instant)
        let observation = Observation(contract: contract, kind: .subscription, snapshot: end)
        var event = line(observation, id: "\(id)#\(contract.lineage.lineName ?? "")#end")
        event.kind = .subscriptionExpired
        return event
    }

    /// This event or one of its lines, by the id under which the ledger keeps it; nil for an `ending`.
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
        line.jobs = []
        return line
    }
}

extension String {
    /// What follows the first `#`, which no id of these stores contains.
    fileprivate var lineName: String? {
        utf8.firstIndex(of: UInt8(ascii: "#")).map { String(decoding: utf8[utf8.index(after: $0)...], as: UTF8.self) }
    }
}

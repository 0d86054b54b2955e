import Domain

/// Another catalog than the last one: in steps, each in a transaction of its own, so that nobody waits for it.
extension LedgerRepository {
    /// Of a step: 2 ms, and as many again for the users who are told.
    private static let contractsAtATime: Int64 = 200
    private static let usersAtATime = 50
    /// How many catalogs are remembered, if one follows another before everybody was told.
    private static let catalogLimit = 8

    /// Tells the users for whom the catalog opens something else than they were told by. The first step has nil for `row`.
    /// Returns the row after which the next one goes on; nil when everybody is told. Repeating a step, also at another node,
    /// says the same once more.
    mutating func tellCatalog(after row: Int64?, now: Instant) throws(EngineError) -> Int64? {
        let current = policy.catalog.openings
        let kept = try toldCatalogs()
        let others = kept.filter { !$0.hasSameBytes(as: current) }.suffix(LedgerRepository.catalogLimit)
        // Another reload may have come between two steps: its catalog is told from the start.
        let isRunning = row != nil && kept.last?.hasSameBytes(as: current) == true
        if !isRunning, !others.isEmpty { try remember(others + [current]) }
        let from = isRunning ? row ?? 0 : 0
        guard !others.isEmpty, let next = try tellCatalog(after: from, insteadOf: others, now: now) else {
            if kept.count != 1 || !others.isEmpty { try remember([current]) }
            try tellLatecomers(now: now)
            return nil
        }
        return next
    }

    /// Tells those who wait for a product that the catalog names: of several nodes, one that still had another catalog has taken
    /// their purchase since everybody was told. As many as a step takes; whoever is left waits for the next one.
    private mutating func tellLatecomers(now: Instant) throws(EngineError) {
        let named = policy.catalog.namesEntitlements ? policy.catalog.entitlements : []
        for product in try sql.unlistedProducts() where policy.catalog[product.product] != nil {
            let contracts = try stored.contracts(waitingFor: product, limit: LedgerRepository.contractsAtATime)
            for contract in contracts { known.learn(contract) }
            _ = try decide(at: now) { unit in
                try unit.tell(
                    of: contracts.map(\.key),
                    insteadOf: [Catalog(entitlements: named)],
                    limit: LedgerRepository.usersAtATime
                )
            }
        }
    }

    private mutating func tellCatalog(
        after row: Int64,
        insteadOf others: ArraySlice<String>,
        now: Instant
    ) throws(EngineError) -> Int64? {
        let page = try stored.contracts(after: row, limit: LedgerRepository.contractsAtATime)
        for (_, contract) in page { known.learn(contract) }
        let told = others.map(Catalog.init(openings:))
        let count = try decide(at: now) { unit in
            try unit.tell(of: page.map(\.contract.key), insteadOf: told, limit: LedgerRepository.usersAtATime)
        }
        guard count > 0 else { return nil }
        return page[count - 1].row
    }

    /// All by which somebody may have been told. Without any, that is the catalog without entitlements; nobody, while there is no
    /// contract.
    private func toldCatalogs() throws(EngineError) -> [String] {
        if let kept = try sql.catalog() {
            return kept.split(separator: LedgerRepository.catalogBreak, omittingEmptySubsequences: false)
                .map(String.init)
        }
        return try findLastContract() > 0 ? [Catalog().openings] : []
    }

    private func remember(_ catalogs: [String]) throws(EngineError) {
        try setMeta("catalog", catalogs.joined(separator: String(LedgerRepository.catalogBreak)))
    }

    /// No product's id has a control character.
    private static let catalogBreak: Character = "\u{c}"
}

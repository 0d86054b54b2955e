public import Domain

/// Something that has the name which somebody looks for.
public enum SearchHit: Sendable, Equatable {
    case user(UserID)
    case order(Order)
    /// By its lineage id, by the buyer's name at the store, by Google's number of the order, or by a charge's id. Nil for a contract without events.
    case contract(Contract, owner: UserID?, newest: Cursor?)
    case event(Entry)
}

extension LedgerQueries {
    private static let hitLimit: Int64 = 20

    /// What has exactly this name. Every kind is looked up by an index.
    public func search(_ name: String) throws(EngineError) -> [SearchHit] {
        var hits: [SearchHit] = []
        let user = UserID(name)
        if try isKnown(user) { hits.append(.user(user)) }
        if let token = OrderToken(name), let found = try datedOrder(token) { hits.append(.order(found.order)) }
        hits += try contracts(named: name)
        if let position = try position(ofEvent: name), let entry = try entry(at: position) {
            hits.append(.event(entry))
        }
        return hits
    }

    /// The contracts whose purchase, buyer or charge has exactly this name.
    public func contracts(named name: String) throws(EngineError) -> [SearchHit] {
        var hits: [SearchHit] = []
        let limited: [Value] = [.text(name), .integer(LedgerQueries.hitLimit)]
        // A receipt has the number of one charge.
        let numbered: [Value] = [.text(Transaction.orderNumber(name)), .integer(LedgerQueries.hitLimit)]
        var contracts =
            try sql.contracts(where: "lineage = ? ORDER BY provider, environment, app LIMIT ?", limited)
            + sql.contracts(where: "account = ? ORDER BY id LIMIT ?", limited)
            + sql.contracts(where: "order_number = ? ORDER BY id LIMIT ?", numbered)
        // Any charge of a contract, such as a renewal. The first one often has the contract's own name.
        contracts += try sql.contracts(
            where: "id IN (SELECT contract FROM charges WHERE id = ?) ORDER BY id LIMIT ?",
            limited
        ).filter { found in !contracts.contains { $0.id == found.id } }
        for row in contracts.prefix(Int(LedgerQueries.hitLimit)) {
            let cursor = try newestEvent(of: row.id, until: .max).map { Cursor(epoch: epoch, position: $0) }
            hits.append(.contract(row.tracked.contract, owner: row.tracked.user, newest: cursor))
        }
        return hits
    }

    /// Whether the ledger has anything of a user.
    private func isKnown(_ user: UserID) throws(EngineError) -> Bool {
        if try !entries(of: user, [.integer(.max), .integer(1)]).isEmpty { return true }
        if try !contractIDs(of: user).isEmpty { return true }
        return try !datedOrders(of: user, limit: 1).isEmpty
    }
}

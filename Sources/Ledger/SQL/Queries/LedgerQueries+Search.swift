public import Domain

/// Something that has the name which somebody looks for.
public enum SearchHit: Sendable, Equatable {
    case user(UserID)
    case order(Order)
    /// By its lineage id, by the buyer's name at the store, or by Google's number of the order. Nil for a contract without events.
    case contract(Contract, owner: UserID?, newest: Cursor?)
    case event(Entry)
}

struct SearchSQL {
    let contractsByName, contractsByAccount, contractsByOrderNumber: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        contractsByName = try connection.contracts(where: "lineage = ? ORDER BY provider, environment, app LIMIT ?")
        contractsByAccount = try connection.contracts(where: "account = ? ORDER BY id LIMIT ?")
        contractsByOrderNumber = try connection.contracts(where: "order_number = ? ORDER BY id LIMIT ?")
    }
}

extension LedgerQueries {
    private static let hitLimit: Int64 = 20

    /// What has exactly this name. Every kind is looked up by an index.
    public func search(_ name: String) throws(EngineError) -> [SearchHit] {
        var hits: [SearchHit] = []
        let user = UserID(name)
        if try isKnown(user) { hits.append(.user(user)) }
        if let token = OrderToken(name) {
            let found = try orderSQL.orderByToken.first([.text(token.description)], read: OrderRow.readDated)
            if let found { hits.append(.order(found.order)) }
        }
        let limited: [Value] = [.text(name), .integer(LedgerQueries.hitLimit)]
        // A receipt has the number of one charge.
        let numbered: [Value] = [.text(Transaction.orderNumber(name)), .integer(LedgerQueries.hitLimit)]
        let contracts =
            try searchSQL.contractsByName.all(limited, read: ContractRow.read)
            + searchSQL.contractsByAccount.all(limited, read: ContractRow.read)
            + searchSQL.contractsByOrderNumber.all(numbered, read: ContractRow.read)
        for row in contracts.prefix(Int(LedgerQueries.hitLimit)) {
            let newest = try eventSQL.newestEvent.first([.integer(row.id), .integer(.max)]) {
                $0.optionalInteger()
            }
            let cursor = (newest ?? nil).map { Cursor(epoch: epoch, position: $0) }
            hits.append(.contract(row.tracked.contract, owner: row.tracked.user, newest: cursor))
        }
        let position = try eventSQL.positionOfEvent.first([.text(name)]) { $0.optionalInteger() } ?? nil
        if let position,
            let entry = try userEventSQL.entryAt.first([.integer(position)], read: EntryRow.read)
        {
            hits.append(.event(entry))
        }
        return hits
    }

    /// Whether the ledger has anything of a user.
    private func isKnown(_ user: UserID) throws(EngineError) -> Bool {
        let any: [Value] = [Value(user), .integer(.max), .integer(1)]
        if try userEventSQL.entriesOfUserBefore.first(any, read: { _ in true }) != nil { return true }
        if try eventSQL.contractsOfUser.first([Value(user)], read: { _ in true }) != nil { return true }
        if try eventSQL.contractsSharedWith.first([Value(user)], read: { _ in true }) != nil { return true }
        let newest: [Value] = [Value(user), .integer(1)]
        return try orderSQL.newestOrders.first(newest, read: { _ in true }) != nil
    }
}

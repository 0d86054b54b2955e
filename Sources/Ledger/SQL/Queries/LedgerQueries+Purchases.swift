public import Domain

/// A charge, with the contract that it belongs to.
public struct Purchase: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    /// The store that sold it, if it is not the one that tells of it.
    public var store: String?
    /// Who owns the contract; nil if nobody is known.
    public var user: UserID?
    public var charge: Charge
}

/// Where a page of charges ends: the next one begins behind it.
public struct PurchaseCursor: Sendable, Equatable, LosslessStringConvertible {
    /// When the last charge was made, in milliseconds.
    fileprivate var at = Int64.max
    /// Its contract's row.
    fileprivate var contract = Int64.max
    /// How many charges with both have been shown. The store's id of the last one would say more than some may know.
    fileprivate var shown: Int64 = 0

    fileprivate init() {}

    public init?(_ description: String) {
        let numbers = description.split(separator: "_").compactMap { Int64($0) }
        guard numbers.count == 3, numbers[2] >= 0 else { return nil }
        (at, contract, shown) = (numbers[0], numbers[1], numbers[2])
        guard self.description == description else { return nil }
    }

    public var description: String { "\(at)_\(contract)_\(shown)" }
}

/// The key of a charge's row, and its date.
private struct DatedCharge: Comparable {
    var at: Int64
    var contract: Int64
    var id: String

    static func < (left: DatedCharge, right: DatedCharge) -> Bool {
        (left.at, left.contract, left.id) < (right.at, right.contract, right.id)
    }

    /// Whether nothing but the id tells it from the last one of a page.
    func isLike(_ cursor: PurchaseCursor) -> Bool { (at, contract) == (cursor.at, cursor.contract) }
}

/// The charges of a user, or of all, in pages.
extension LedgerQueries {
    /// The number of contracts whose charges are looked at: a user's subscriptions first, then the newest consumables.
    private static let contractLimit: Int64 = 10_000

    /// The charges of what a user holds, newest first: of contracts that others share with the user as well. Those of one
    /// `product` only, if it is given.
    public func purchases(
        of user: UserID,
        product: String? = nil,
        after cursor: PurchaseCursor? = nil,
        limit: Int
    ) throws(EngineError) -> (purchases: [Purchase], next: PurchaseCursor?) {
        var cursor = cursor ?? PurchaseCursor()
        let charges = try charges(of: user, product: product).sorted(by: >)
        let rest = charges.drop { ($0.at, $0.contract) > (cursor.at, cursor.contract) }
        let skipped = min(Int(clamping: cursor.shown), rest.prefix { $0.isLike(cursor) }.count)
        let page = rest.dropFirst(skipped).prefix(limit)
        var purchases: [Purchase] = []
        for charge in page {
            guard let found = try purchase(charge.id, of: charge.contract) else { continue }
            purchases.append(found)
        }
        guard let last = page.last, page.endIndex < charges.endIndex else { return (purchases, nil) }
        let isOnlyOfOne = page.allSatisfy { $0.isLike(cursor) }
        (cursor.at, cursor.contract) = (last.at, last.contract)
        let same = Int64(page.reversed().prefix { $0.isLike(cursor) }.count)
        cursor.shown = same + (isOnlyOfOne ? Int64(skipped) : 0)
        return (purchases, cursor)
    }

    private func charges(of user: UserID, product: String?) throws(EngineError) -> [DatedCharge] {
        let values = [Value(user), .integer(LedgerQueries.contractLimit), Value(product)]
        let read = { (row: inout Row) in DatedCharge(at: row.integer(), contract: row.integer(), id: row.text()) }
        return try sql(
            """
            SELECT purchased_at, contract, id FROM charges
            WHERE contract IN (SELECT id FROM contracts WHERE user = ?1 ORDER BY kind DESC, id DESC LIMIT ?2)
                AND product = COALESCE(?3, product)
            """
        ).all(values, read: read)
            + sql(
                """
                SELECT purchased_at, contract, id FROM charges
                WHERE contract IN (SELECT contract FROM shares WHERE user = ?1 ORDER BY contract DESC LIMIT ?2)
                    AND product = COALESCE(?3, product)
                """
            ).all(values, read: read)
    }

    private func purchase(_ id: String, of contract: Int64) throws(EngineError) -> Purchase? {
        try sql(
            """
            SELECT \(Purchase.selection)
            FROM charges JOIN contracts ON contracts.id = charges.contract WHERE charges.contract = ? AND charges.id = ?
            """
        ).first([.integer(contract), .text(id)], read: Purchase.init)
    }

    /// How many rows a page of all charges looks at.
    private static let rowsOfAPage = 1000

    /// The charges of all users that were made or given back since an instant, contract by contract. `next` is nil behind the last
    /// one; a page may have fewer than `limit`, or none.
    public func purchases(
        since: Instant,
        product: String? = nil,
        after place: (contract: Int64, id: String),
        limit: Int
    ) throws(EngineError) -> (purchases: [Purchase], next: (contract: Int64, id: String)?) {
        let found = try sql(
            """
            SELECT contract, id, COALESCE(purchased_at, 0), COALESCE(refunded_at, 0), product FROM charges
            WHERE (contract, id) > (?, ?) ORDER BY contract, id LIMIT ?
            """
        ).all([.integer(place.contract), .text(place.id), .integer(Int64(LedgerQueries.rowsOfAPage))]) { row in
            (
                contract: row.integer(), id: row.text(), at: max(row.instant(), row.instant()),
                product: row.optionalText()
            )
        }
        var purchases: [Purchase] = []
        for (index, charge) in found.enumerated() where charge.at >= since {
            guard let sold = charge.product, product?.hasSameBytes(as: sold) ?? true,
                let purchase = try purchase(charge.id, of: charge.contract)
            else { continue }
            purchases.append(purchase)
            if purchases.count == limit, index + 1 < found.count { return (purchases, (charge.contract, charge.id)) }
        }
        guard found.count == LedgerQueries.rowsOfAPage, let last = found.last else { return (purchases, nil) }
        return (purchases, (last.contract, last.id))
    }

    func charge(_ id: String, of contract: Int64) throws(EngineError) -> Charge? {
        try sql("SELECT \(ChargeRow.selection) FROM charges WHERE contract = ? AND id = ?")
            .first([.integer(contract), .text(id)]) { row in ChargeRow.read(&row) }
    }
}

extension Purchase {
    fileprivate static let selection = """
        provider, environment, app, lineage, kind, store, contracts.user, \(ChargeRow.selection)
        """

    fileprivate init(_ row: inout Row) throws(EngineError) {
        contract = ContractKey(
            provider: try row.word(),
            environment: try row.word(),
            app: row.text(),
            lineage: row.text()
        )
        kind = try row.word()
        store = row.optionalText()
        user = row.optionalUser()
        charge = ChargeRow.read(&row)
    }
}

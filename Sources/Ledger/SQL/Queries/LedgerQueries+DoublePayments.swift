import Domain

extension LedgerQueries {
    private static let shownLimit = 50
    private static let pageLimit: Int64 = 500
    /// Where a catalog sells many things, many users have several subscriptions, none of them twice.
    private static let pages = 10
    /// Those that an index lists by their users.
    private static let renewing = """
        kind = 'subscription' AND state IN ('active', 'in_grace_period') AND user IS NOT NULL
        """

    /// The first users, by their ids, who pay for the same more than once.
    func doublePayments() throws(EngineError) -> [DoublePayment] {
        var found: [DoublePayment] = []
        var last = UserID("")
        for _ in 1...LedgerQueries.pages where found.count < LedgerQueries.shownLimit {
            let rows = try sql.contracts(
                where: """
                    user IN (
                        SELECT user FROM contracts WHERE \(LedgerQueries.renewing) AND user > ?
                        GROUP BY user HAVING count(*) > 1 ORDER BY user LIMIT ?
                    ) AND \(LedgerQueries.renewing) ORDER BY user, id
                    """,
                [Value(last), .integer(LedgerQueries.pageLimit)]
            )
            guard let end = rows.last?.tracked.user else { break }
            found += doublePayments(of: rows)
            last = end
        }
        return Array(found.prefix(LedgerQueries.shownLimit))
    }

    /// `rows` are those of each user, one user after the other.
    private func doublePayments(of rows: [ContractRow]) -> [DoublePayment] {
        var payments: [DoublePayment] = []
        var rest = rows[...]
        while let user = rest.first?.tracked.user {
            let own = rest.prefix { $0.tracked.user == user }
            rest = rest.dropFirst(own.count)
            let held = own.map { row in
                var tracked = row.tracked
                tracked.recomputeStatus(at: now, policy: policy)
                return tracked.heldContract(policy.catalog)
            }
            if let payment = EntitlementSet(user: user, held: held, policy: policy).doublePayment {
                payments.append(payment)
            }
        }
        return payments
    }
}

internal import Domain

extension LedgerStore {
    /// When the access of the next contract ends.
    func nextEnd() throws(SQLiteError) -> Instant? {
        try statements.nextEnd.first { row in row.optionalInstant(0) } ?? nil
    }

    /// Ends the access of contracts whose time has come, including those whose time came while the server was down. It
    /// ends at most 500 at once, so that commands behind them wait only milliseconds.
    func endAccess(now: Instant) throws(SQLiteError) -> Commit<Void> {
        var commit = Commit<Void>(value: ())
        for row in try statements.endedContracts.all([Value(now)], read: contractRow) {
            var row = row
            if let id = row.id { row.shares = try shares(of: id) }
            var ended = row
            ended.recomputeStatus(at: now, policy)
            // Its statements tell nothing more: looking again at once would find the same forever.
            if let end = ended.endsAt, end <= now { ended.endsAt = nil }
            let change = ContractChange(previous: row, current: try save(ended, over: row))
            // The leeway or the catalog has changed since it was written, and it has not ended after all.
            guard ended.status != row.status else { continue }
            try append(change, as: .accessEnded, to: &commit, at: now)
        }
        return commit
    }

    func addUnclaimed(_ difference: Int) throws(SQLiteError) -> Int {
        let count = (try statements.unclaimed.first { row in Int(row.integer(0)) } ?? 0) + difference
        if difference != 0 { try statements.setUnclaimed.run([.text(String(count))]) }
        return count
    }
}

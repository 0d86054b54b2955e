internal import Domain

extension LedgerStore {
    /// When access of any contract ends next.
    func nextEnd() throws(SQLiteError) -> Instant? {
        try statements.nextEnd.first { row in row.optionalInstant(0) } ?? nil
    }

    /// Ends the access of contracts whose time has come, also of those whose time came while the server was down: 500
    /// at the most, so that what waits behind them waits milliseconds.
    func endAccess(now: Instant) throws(SQLiteError) -> Commit<Void> {
        var commit = Commit<Void>(value: ())
        for row in try statements.endedContracts.all([Value(now)], read: contractRow) {
            var row = row
            if let id = row.id { row.shares = try shares(of: id) }
            var ended = row
            ended.restate(at: now, policy)
            // Nothing can be told of it any more: looking again at once would find the same for ever.
            if let end = ended.endsAt, end <= now { ended.endsAt = nil }
            let change = ContractChange(previous: row, current: try save(ended, over: row))
            // Another leeway or catalogue than when it was written: it has not ended after all.
            guard ended.standing != row.standing else { continue }
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

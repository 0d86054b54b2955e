extension UnitOfWork {
    /// Ends the access of a contract whose time has come, even if it came while the server was down.
    public mutating func endAccess(of key: ContractKey) throws {
        guard let known = try contract(key) else { return }
        var ended = known
        ended.recomputeStatus(at: now, policy: policy)
        // Its statements will not change the answer: checking again at once would never end.
        if let end = ended.endsAt, end <= now { ended.endsAt = nil }
        try save(ended)
        // The leeway or the catalog has changed since `endsAt` was written, and the access has not ended after all.
        guard ended.status != known.status else { return }
        try append(ContractChange(previous: known, current: ended), as: .accessEnded)
    }
}

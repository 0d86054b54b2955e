public import Domain
public import LedgerInterface
public import Rules

/// An engine that is far away answers in one round trip what the commands of a batch will read one after the other. Without
/// this, each result is the same, and takes longer.
extension LedgerRepository {
    /// Begins a transaction in which a batch is decided: its commands, after the access whose time has come at `now`.
    public mutating func begin(
        reading preload: Preload,
        keys: [IdempotencyKey],
        now: Instant
    ) throws(EngineError) {
        guard connection.isShared else { return try begin() }
        let (stored, statements) = (stored, statements)
        _ = try connection.readAhead {
            try? preload.read(from: stored)
            _ = try? (stored.knowsErasures(), stored.endedContracts(at: now))
            _ = try? (countUnclaimed(), statements.lastContract.first { row in row.integer(0) })
            for key in keys { _ = try? findBroadcast(key, at: now) }
        }
        try begin()
        _ = try stored.knowsErasures()
        unclaimed = try countUnclaimed()
        lastContract = try statements.lastContract.first { row in row.integer(0) } ?? 0
        for key in keys { broadcasts[key.text] = .some(try findBroadcast(key, at: now)) }
        let ended = try endedContracts(at: now)
        self.ended = ended
        try reading { try preload.read(from: known) }
        let next = try reading { try preload.next(after: ended, in: known) }
        // A contract's further holders are asked for when its row is there.
        while try connection.readAhead({ try? next.read(from: stored) }) {}
        try reading { try next.read(from: known) }
    }

    /// Sends a question in advance that is asked after the commit.
    public func askAheadForNextEnd() throws(EngineError) {
        _ = try connection.readAhead { _ = try? nextEnd() }
    }
}

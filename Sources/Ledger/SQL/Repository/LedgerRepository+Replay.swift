public import Domain
public import LedgerInterface
public import Rules

extension LedgerRepository {
    /// Applies stored events again, or tries out what that would change.
    public mutating func replay(
        _ batch: ReplayBatch,
        isTrial: Bool,
        now: Instant
    ) throws(EngineError) -> Commit<ReplayReport> {
        var commit = Commit(value: ())
        var replay = ReplaySteps(batch)
        while !replay.isDone {
            commit.add(try decide(at: now, isTrial: isTrial) { try replay.advance(in: &$0) })
        }
        guard isTrial else { return commit.map { replay.report } }
        try forget()
        return Commit(value: replay.report)
    }
}

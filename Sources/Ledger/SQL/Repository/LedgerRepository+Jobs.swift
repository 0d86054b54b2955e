public import Domain
public import LedgerInterface

extension LedgerRepository {
    /// Records the result of one job, and deletes those that were abandoned too long ago.
    public func end(_ job: Int64, result: JobResult, now: Instant) throws(EngineError) -> Commit<Void> {
        switch result {
        case .done: try statements.deleteJob.run([.integer(job)])
        case .retry(let at, let reason): try statements.delayJob.run([Value(at), .text(reason), .integer(job)])
        case .abandoned(let reason): try statements.abandonJob.run([.text(reason), Value(now), .integer(job)])
        }
        try forgetJobs(at: now)
        return Commit(value: ())
    }

    public func saveCheckpoint(_ name: String, at instant: Instant) throws(EngineError) -> Commit<Void> {
        try statements.setMark.run([.text(name), Value(instant)])
        return Commit(value: ())
    }
}

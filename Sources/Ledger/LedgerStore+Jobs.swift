internal import Domain

extension LedgerStore {
    /// Queues jobs that are not queued yet. `position` is that of the event whose body may be forwarded.
    func queue(_ jobs: [Job], position: Int64?, at now: Instant) throws(SQLiteError) {
        for job in jobs {
            try statements.insertJob.run([
                Value(job.kind), Value(job.provider), Value(job.environment), .text(job.app),
                .text(job.subject), .text(job.detail ?? ""), Value(job.deadline), Value(position),
                Value(now), Value(now),
            ])
        }
    }

    /// Records the result of one job, and forgets those that were abandoned too long ago.
    func end(_ job: Int64, _ result: JobResult, now: Instant) throws(SQLiteError) -> Commit<Void> {
        switch result {
        case .done: try statements.deleteJob.run([.integer(job)])
        case .retry(let at, let reason): try statements.delayJob.run([Value(at), .text(reason), .integer(job)])
        case .abandoned(let reason): try statements.abandonJob.run([.text(reason), Value(now), .integer(job)])
        }
        try forgetJobs(at: now)
        return Commit(value: ())
    }

    func saveCheckpoint(_ name: String, _ instant: Instant) throws(SQLiteError) -> Commit<Void> {
        try statements.setMark.run([.text(name), Value(instant)])
        return Commit(value: ())
    }
}

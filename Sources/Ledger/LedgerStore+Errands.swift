internal import Domain

extension LedgerStore {
    /// How long an abandoned errand is kept, so that an operator finds its reason, and an event that asks for the same
    /// once more does not begin it again. A month is enough, because nothing is tried for longer.
    private static let memoryOfErrands = Duration.seconds(30 * 86_400)

    /// Queues errands that are not queued yet. `position` is that of the event whose body may be forwarded.
    func queue(_ errands: [Errand], position: Int64?, at now: Instant) throws(SQLiteError) {
        for errand in errands {
            try statements.insertErrand.run([
                Value(errand.kind), Value(errand.provider), Value(errand.environment), .text(errand.app),
                .text(errand.subject), .text(errand.detail ?? ""), Value(errand.deadline), Value(position),
                Value(now), Value(now),
            ])
        }
    }

    /// Records the result of one errand, and forgets those that were abandoned too long ago.
    func end(_ errand: Int64, _ result: ErrandResult, now: Instant) throws(SQLiteError) -> Commit<Void> {
        switch result {
        case .done: try statements.deleteErrand.run([.integer(errand)])
        case .retry(let at, let reason): try statements.delayErrand.run([Value(at), .text(reason), .integer(errand)])
        case .abandoned(let reason): try statements.abandonErrand.run([.text(reason), Value(now), .integer(errand)])
        }
        try statements.forgetErrands.run([Value(now - LedgerStore.memoryOfErrands)])
        return Commit(value: ())
    }

    func mark(_ name: String, _ instant: Instant) throws(SQLiteError) -> Commit<Void> {
        try statements.setMark.run([.text(name), Value(instant)])
        return Commit(value: ())
    }
}

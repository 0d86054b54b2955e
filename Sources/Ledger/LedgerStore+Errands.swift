internal import Domain

extension LedgerStore {
    /// Queues what is not queued yet. `position` is of the event whose body may be forwarded.
    func queue(_ errands: [Errand], position: Int64?, at now: Instant) throws(SQLiteError) {
        for errand in errands {
            try statements.insertErrand.run([
                Value(errand.kind), Value(errand.provider), Value(errand.environment), .text(errand.app),
                .text(errand.subject), .text(errand.detail ?? ""), Value(errand.deadline), Value(position),
                Value(now), Value(now),
            ])
        }
    }

    func end(_ errand: Int64, _ result: ErrandResult) throws(SQLiteError) -> Commit<Void> {
        switch result {
        case .done: try statements.deleteErrand.run([.integer(errand)])
        case .retry(let at, let reason): try statements.delayErrand.run([Value(at), .text(reason), .integer(errand)])
        case .abandoned(let reason): try statements.abandonErrand.run([.text(reason), .integer(errand)])
        }
        return Commit(value: ())
    }

    func mark(_ name: String, _ instant: Instant) throws(SQLiteError) -> Commit<Void> {
        try statements.setMark.run([.text(name), Value(instant)])
        return Commit(value: ())
    }
}

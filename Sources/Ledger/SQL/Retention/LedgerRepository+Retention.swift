public import Domain

/// Empties bodies and fragments that have passed the retention age. Positions, ids and outcomes stay.
extension LedgerRepository {
    /// The number of entries that one transaction examines: 3 ms, during which others wait.
    private static let entriesOfAStep = 50
    /// The number of bodies still to be forwarded that one transaction examines: 2 ms.
    private static let keptOfAStep = 500

    /// One step, for entries committed before `instant`. True if none is left.
    public mutating func emptyOld(before instant: Instant) throws(EngineError) -> Commit<Bool> {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        let retention = try RetentionStatements(connection)
        let done = try retention.mark.first { row in row.integer(0) } ?? 0
        let limit = Value.integer(Int64(LedgerRepository.entriesOfAStep))
        let isThrough = try emptyForwarded(by: retention)
        let next = try retention.aged.all([.integer(done), limit]) { row in
            (position: row.integer(0), committedAt: row.instant(1))
        }
        guard let last = next.prefix(while: { $0.committedAt < instant }).last?.position else {
            return Commit(value: isThrough)
        }
        try retention.keepBodies.run([.integer(done), .integer(last)])
        try retention.emptyBodies.run([.integer(done), .integer(last)], body: [])
        try emptyFragments(after: done, through: last, by: retention)
        try retention.setMark.run([.text("\(last)")])
        return Commit(value: false)
    }

    /// Empties bodies that were forwarded since they passed the retention age. A destination that is down for weeks
    /// keeps millions waiting, so each step continues where the last one stopped. True at the end.
    private mutating func emptyForwarded(by retention: RetentionStatements) throws(EngineError) -> Bool {
        let range: [Value] = [.integer(keptChecked), .integer(Int64(LedgerRepository.keptOfAStep))]
        let kept = try retention.kept.all(range) { row in (position: row.integer(0), isWaiting: !row.isNull(1)) }
        for body in kept where !body.isWaiting {
            try retention.emptyBody.run([.integer(body.position)], body: [])
            try retention.forgetKept.run([.integer(body.position)])
        }
        let isThrough = kept.count < LedgerRepository.keptOfAStep
        keptChecked = isThrough ? 0 : kept.last?.position ?? 0
        return isThrough
    }

    private func emptyFragments(
        after first: Int64,
        through last: Int64,
        by retention: RetentionStatements
    ) throws(EngineError) {
        let aged = try retention.fragments.all([.integer(first), .integer(last)], read: AgedFragment.read)
        for fragment in aged {
            try retention.deleteOlder.run(fragment.place)
            let isSuperseded = try retention.newer.first(fragment.place) { _ in true } ?? false
            switch fragment.fate(isSuperseded: isSuperseded) {
            case .stays: break
            case .goes: try retention.delete.run(fragment.place)
            case .becomesRefresh: try retention.refresh.run(fragment.place + [.integer(fragment.ordinal)])
            }
        }
    }
}

public import Domain
public import LedgerInterface
internal import Rules

/// Empties bodies and fragments that are older than they are to be kept. Positions, ids and outcomes stay.
extension LedgerStore {
    /// How many entries one transaction looks at: 3 ms, during which others wait.
    private static let entriesOfAStep = 50

    /// One step: what was committed before `instant`. True when nothing of it is left.
    public func emptyOld(before instant: Instant) throws(EngineError) -> Commit<Bool> {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        let retention = try RetentionStatements(connection)
        let done = try retention.mark.first { row in row.integer(0) } ?? 0
        let limit = Value.integer(Int64(LedgerStore.entriesOfAStep))
        // Forwarded since they came of age.
        let forwarded = try retention.forwarded.all([limit]) { row in row.integer(0) }
        for position in forwarded {
            try retention.emptyBody.run([.integer(position)], body: [])
            try retention.forgetKept.run([.integer(position)])
        }
        let next = try retention.aged.all([.integer(done), limit]) { row in
            (position: row.integer(0), committedAt: row.instant(1))
        }
        guard let last = next.prefix(while: { $0.committedAt < instant }).last?.position else {
            return Commit(value: forwarded.isEmpty)
        }
        try retention.keepBodies.run([.integer(done), .integer(last)])
        try retention.emptyBodies.run([.integer(done), .integer(last)], body: [])
        try emptyFragments(after: done, through: last, by: retention)
        try retention.setMark.run([.text("\(last)")])
        return Commit(value: false)
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

/// A fragment that has come of age, when everything older of its stream and target is gone.
private struct AgedFragment {
    enum Fate {
        case stays, goes, becomesRefresh
    }

    var stream: String
    var key: String
    var position: Int64
    var ordinal: Int64
    var content: String

    /// Its stream, target and position.
    var place: [Value] { [.text(stream), .text(key), .integer(position)] }

    /// What shows the user's state stays until something newer shows it, because a page that comes without a cursor gets
    /// it. An app's markup goes; a page with an older cursor reloads in its place.
    func fate(isSuperseded: Bool) -> Fate {
        if key.isEmpty { return .becomesRefresh }
        if isSuperseded { return .goes }
        return content == "template" || content == "none" ? .stays : .becomesRefresh
    }

    static func read(_ row: Row) -> AgedFragment {
        AgedFragment(
            stream: row.text(0),
            key: row.text(1),
            position: row.integer(2),
            ordinal: row.integer(3),
            content: row.text(4)
        )
    }
}

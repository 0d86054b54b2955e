public import Domain

/// The fragments that a page with a cursor has missed.
extension LedgerQueries {
    /// The number of distinct targets of one stream that are examined; a page has a handful.
    private static let targetLimit = 1000
    /// What one answer holds, before it is rendered: as much as may wait for a page. A page that missed more reloads.
    private static let byteLimit = 256 << 10

    /// The fragments on a stream that are newer than `since`. If they are more than `limit` or 256 KiB, or if there is no
    /// cursor of this ledger, only the newest fragment of each target, and of these the newest that 256 KiB hold. Without such
    /// a cursor, nothing that is news and no state.
    public func missed(
        on stream: StreamName,
        since start: MissedSince,
        limit: Int
    ) throws(EngineError) -> MissedFragments {
        let head = try head()
        let since = try cursor(start)
        let isKnown = since.map { $0.epoch == epoch && $0.position <= head.position } ?? false
        var missed = MissedFragments(
            through: head,
            items: [],
            mode: .exact,
            isTruncated: false,
            newest: nil,
            lost: isKnown ? try lost(after: since?.position ?? 0, on: stream) : nil,
            isUnknownCursor: since != nil && !isKnown
        )
        let start = isKnown ? since?.position ?? 0 : 0
        let keys = try targets(of: stream)
        let isComplete = keys.count < LedgerQueries.targetLimit
        if let newer = isKnown && isComplete
            ? try fragments(stream, keys: keys + [""], after: start, limit: limit) : nil
        {
            missed.items = grouped(try written(newer))
            return missed
        }
        missed.mode = .newest
        let staying = try place(ofNewest: "", on: stream, after: start)
        var places: [Place] = []
        // What is news and no state is only missed by those who were there.
        for key in keys where isKnown || !CollapseKey(key).isNews {
            if let place = try place(ofNewest: key, on: stream, after: start) { places.append(place) }
        }
        places.sort { ($0.position, $0.ordinal) > ($1.position, $1.ordinal) }
        missed.newest = [staying?.position, places.first?.position].compactMap { $0 }.max()
        let found = try fragments(at: places)
        missed.isTruncated =
            isKnown && (!isComplete || staying != nil) || since != nil && found.count < places.count
        missed.items = grouped(try written(found))
        return missed
    }

    /// Fragments that were lost on all streams, or erased from this one.
    private func lost(after position: Int64, on stream: StreamName) throws(EngineError) -> Int64? {
        let lost = try sql("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'broadcasts_lost'")
            .first { row in row.integer() }
        let erased = try erasure(of: stream)
        return [lost, erased].compactMap { $0 }.max().flatMap { $0 > position ? $0 : nil }
    }

    private func cursor(_ start: MissedSince) throws(EngineError) -> Cursor? {
        switch start {
        case .nothing: nil
        case .cursor(let cursor): cursor
        case .time(let instant): Cursor(epoch: epoch, position: try position(before: instant))
        }
    }

    /// A position after which everything was committed at `instant` or later.
    public func position(before instant: Instant) throws(EngineError) -> Int64 {
        try last(
            before: instant,
            upTo: try head().position,
            by: sql("SELECT committed_at FROM entries WHERE position <= ? ORDER BY position DESC LIMIT 1")
        )
    }

    /// The targets that a stream's fragments replace: one index search for each, however long the history is.
    private func targets(of stream: StreamName) throws(EngineError) -> [String] {
        var keys = [""]
        while keys.count <= LedgerQueries.targetLimit, let last = keys.last,
            let next = try sql(
                "SELECT collapse_key FROM fragments WHERE stream = ? AND collapse_key > ? ORDER BY collapse_key LIMIT 1"
            ).first([.text(stream.text), .text(last)], read: { row in row.text() })
        {
            keys.append(next)
        }
        return Array(keys.dropFirst())
    }

    /// Everything newer than `position`, or nil if that is more than `limit` or `byteLimit`.
    private func fragments(
        _ stream: StreamName,
        keys: [String],
        after position: Int64,
        limit: Int
    ) throws(EngineError) -> [PlacedFragment]? {
        var found: [PlacedFragment] = []
        var bytes = 0
        for key in keys {
            let range: [Value] = [.text(stream.text), .text(key), .integer(position), .integer(Int64(limit) + 1)]
            let fits = try sql(
                """
                SELECT \(FragmentRow.columns) FROM fragments
                WHERE stream = ? AND collapse_key = ? AND position > ? ORDER BY position, ordinal LIMIT ?
                """
            ).each(range) { row throws(EngineError) in
                found.append(try FragmentRow.read(&row))
                bytes += found[found.count - 1].fragment.size
                return found.count <= limit && bytes <= LedgerQueries.byteLimit
            }
            guard fits else { return nil }
        }
        return found
    }

    /// Where a fragment is. Finding it reads an index, and no content.
    private struct Place {
        var key: [Value]
        var position: Int64
        var ordinal: Int64
    }

    private func place(
        ofNewest key: String,
        on stream: StreamName,
        after position: Int64
    ) throws(EngineError) -> Place? {
        let key: [Value] = [.text(stream.text), .text(key)]
        return try sql(
            """
            SELECT position, ordinal FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position > ? ORDER BY position DESC, ordinal DESC LIMIT 1
            """
        ).first(key + [.integer(position)]) { Place(key: key, position: $0.integer(), ordinal: $0.integer()) }
    }

    /// As many of these, from the first on, as `byteLimit` holds, but one in any case.
    private func fragments(at places: [Place]) throws(EngineError) -> [PlacedFragment] {
        var found: [PlacedFragment] = []
        var bytes = 0
        var unanswered = 0
        for place in places {
            let fragment = try sql(
                """
                SELECT \(FragmentRow.columns) FROM fragments
                WHERE stream = ? AND collapse_key = ? AND position = ? AND ordinal = ?
                """
            ).first(place.key + [.integer(place.position), .integer(place.ordinal)], read: FragmentRow.read)
            guard let fragment else {
                // An engine that is far away is first asked for nothing, to learn the questions (`readAhead`): a few at a time,
                // since most may be too much.
                unanswered += 1
                if unanswered == 16 { break }
                continue
            }
            bytes += fragment.fragment.size
            guard found.isEmpty || bytes <= LedgerQueries.byteLimit else { break }
            found.append(fragment)
        }
        return found
    }
}

/// Groups fragments by entry, in commit order.
private func grouped(_ fragments: [PlacedFragment]) -> [MissedItem] {
    var items: [MissedItem] = []
    for next in fragments.sorted(by: { ($0.position, $0.ordinal) < ($1.position, $1.ordinal) }) {
        if items.last?.position == next.position {
            items[items.count - 1].fragments.append(next.fragment)
        } else {
            items.append(MissedItem(position: next.position, fragments: [next.fragment]))
        }
    }
    return items
}

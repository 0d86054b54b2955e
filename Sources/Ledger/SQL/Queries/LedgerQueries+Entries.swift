public import Domain

/// Entries in order, for the feed.
public struct EntryPage: Sendable, Equatable {
    public var entries: [Entry]
    /// The position that the search has reached. `entries` holds every selected entry up to here.
    public var through: Int64
    /// The newest position when the page was read.
    public var head: Cursor

    /// True if the search has reached the newest position.
    public var isWhole: Bool { through >= head.position }
}

extension EntrySelection {
    /// SQL conditions; `values` are the parameters from the second one on. PostgreSQL infers each one's type from its first
    /// use.
    static let ofUser = "user = ?1 AND \(condition) AND position > ?7 AND position < ?8 ORDER BY position"
    static let ofAll = "position > ?1 AND \(condition) AND position < ?7 ORDER BY position"
    private static let condition = """
        (provider = ?2 OR ?2 IS NULL) AND (environment = ?3 OR ?3 IS NULL)
            AND (type = ?4 OR ?4 IS NULL) AND (outcome = ?5 OR ?5 IS NULL)
            AND (product = ?6 OR ?6 IS NULL)
        """
    var values: [Value] { [provider, environment, type, outcome, product].map { Value($0) } }
}

extension LedgerQueries {
    /// The number of entries that one question examines. The same thread answers everybody else's pages, and 20,000
    /// entries take it 10 ms.
    static let entriesOfAQuestion: Int64 = 20_000

    /// At most `limit` entries after `position`, with their fragments. The next page begins at `through`.
    public func entries(
        _ selection: EntrySelection = .all,
        after position: Int64,
        limit: Int
    ) throws(EngineError) -> EntryPage {
        let head = try head()
        var (start, through) = (position, head.position)
        if selection.user == nil {
            start = min(max(0, position), head.position)
            through = min(start + LedgerQueries.entriesOfAQuestion, head.position)
        }
        let entries = try entries(selection, after: start, before: through + 1, limit: limit, newestFirst: false)
        if entries.count == limit, let last = entries.last { through = last.position }
        return EntryPage(entries: entries, through: through, head: head)
    }

    /// At most `limit` entries, newest first, between two positions that are left out themselves. `entries` holds every
    /// selected one down to `through`; the next page ends after it.
    public func newest(
        _ selection: EntrySelection,
        after oldest: Int64 = 0,
        before newest: Int64? = nil,
        limit: Int
    ) throws(EngineError) -> EntryPage {
        let head = try head()
        let end = min(newest ?? .max, head.position + 1)
        var through = max(0, oldest)
        if selection.user == nil { through = max(through, end - 1 - LedgerQueries.entriesOfAQuestion) }
        let entries = try entries(selection, after: through, before: end, limit: limit, newestFirst: true)
        if entries.count == limit, let last = entries.last { through = last.position - 1 }
        return EntryPage(entries: entries, through: through, head: head)
    }

    /// With their fragments.
    private func entries(
        _ selection: EntrySelection,
        after start: Int64,
        before end: Int64,
        limit: Int,
        newestFirst: Bool
    ) throws(EngineError) -> [Entry] {
        let (start, end, limit) = (Value.integer(start), Value.integer(end), Value.integer(Int64(limit)))
        var entries: [Entry]
        if let user = selection.user {
            let values = [Value(user)] + selection.values + [start, end, limit]
            entries =
                try newestFirst
                ? sql.entries(where: "\(EntrySelection.ofUser) DESC LIMIT ?9", values)
                : sql.entries(where: "\(EntrySelection.ofUser) LIMIT ?9", values)
        } else {
            let values = [start] + selection.values + [end, limit]
            entries =
                try newestFirst
                ? sql.entries(where: "\(EntrySelection.ofAll) DESC LIMIT ?8", values)
                : sql.entries(where: "\(EntrySelection.ofAll) LIMIT ?8", values)
        }
        for index in entries.indices { entries[index].fragments = try fragments(at: entries[index].position) }
        return entries
    }

    /// The fragments of one entry, in their order.
    func fragments(at position: Int64) throws(EngineError) -> [Fragment] {
        try sql("SELECT \(FragmentRow.columns) FROM fragments WHERE position = ?")
            .all([.integer(position)], read: FragmentRow.read).sorted { $0.ordinal < $1.ordinal }.map(\.fragment)
    }
}

/// The log as a node follows it.
extension LedgerQueries {
    /// At most `limit` entries after `position`, without gaps, with fragments in the locales that their users have
    /// now. An erasure's entry names nobody; `erased` finds its user.
    public func log(after position: Int64, limit: Int) throws(EngineError) -> (entries: [Entry], erased: ErasedUsers) {
        let head = try head()
        guard head.position > position else { return ([], .nobody) }
        let through = min(head.position, position + Int64(limit))
        let range: [Value] = [.integer(position), .integer(through)]
        var entries = try sql.entries(where: "position > ? AND position <= ? ORDER BY position", range)
        if let missing = (position + 1...through).first(where: {
            entries.dropFirst(Int($0 - position) - 1).first?.position != $0
        }) {
            throw .missingEntry(at: missing)
        }
        let fragments = try written(
            try sql("SELECT \(FragmentRow.columns) FROM fragments WHERE position > ? AND position <= ?")
                .all(range, read: FragmentRow.read)
        )
        let byPosition = Dictionary(grouping: fragments, by: \.position)
        for index in entries.indices {
            let own = byPosition[entries[index].position] ?? []
            entries[index].fragments = own.sorted { $0.ordinal < $1.ordinal }.map(\.fragment)
        }
        guard entries.contains(where: { $0.notice.kind == .userErased }) else { return (entries, .nobody) }
        let digests = try sql("SELECT digest FROM tombstones WHERE position > ?")
            .all([.integer(position)]) { row in row.text() }
        return (entries, ErasedUsers(digests: Set(digests), key: erasureKey))
    }
}

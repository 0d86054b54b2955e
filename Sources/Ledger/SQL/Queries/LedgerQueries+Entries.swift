internal import Domain
public import LedgerInterface

extension EntrySelection {
    /// The SQL condition; `values` are its parameters from the second one on.
    static let condition = """
        (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR environment = ?3)
            AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR outcome = ?5)
        """
    var values: [Value] { [Value(provider), Value(environment), Value(type), Value(outcome)] }
}

extension LedgerQueries {
    /// How many entries one question looks at. The same thread answers everybody else's pages, and 20,000 entries take
    /// it 10 ms.
    static let entriesOfAQuestion: Int64 = 20_000

    public func entries(_ selection: EntrySelection, after position: Int64, limit: Int) throws(LedgerError) -> EntryPage
    {
        try snapshot { head throws(EngineError) in
            var entries: [Entry]
            var through = head.position
            if let user = selection.user {
                let values = [Value(user)] + selection.values + [.integer(position), .integer(Int64(limit))]
                entries = try statements.entriesOfUser.all(values, read: EntryRow.read)
            } else {
                let start = min(max(0, position), head.position)
                through = min(start + LedgerQueries.entriesOfAQuestion, head.position)
                let values = [.integer(start)] + selection.values + [.integer(through), .integer(Int64(limit))]
                entries = try statements.entriesAfter.all(values, read: EntryRow.read)
            }
            if entries.count == limit, let last = entries.last { through = last.position }
            for index in entries.indices {
                entries[index].fragments = try fragments(at: entries[index].position)
            }
            return EntryPage(entries: entries, through: through, head: head)
        }
    }

    /// The fragments of one entry, in their order.
    func fragments(at position: Int64) throws(EngineError) -> [Fragment] {
        try statements.fragmentsAt.all([.integer(position)], read: FragmentRow.read)
            .sorted { $0.ordinal < $1.ordinal }.map(\.fragment)
    }
}

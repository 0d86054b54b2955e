import Domain

/// Converts between an entry and its row.
enum EntryRow {
    static let columns = """
        committed_at, kind, provider, environment, type, subtype, event, outcome, user, contract, order_token, product, \
        previous_state, state, active, access_until
        """
    /// For a join with `events`, which has some of the same names.
    static let qualifiedColumns = columns.split(separator: ", ").map { "entries." + $0 }.joined(separator: ", ")

    static func values(_ notice: Notice, at committedAt: Instant) -> [Value] {
        [
            Value(committedAt), Value(notice.kind), Value(notice.provider), Value(notice.environment),
            Value(notice.type), Value(notice.subtype), Value(notice.event), Value(notice.outcome), Value(notice.user),
            Value(notice.contract), Value(notice.order?.description), Value(notice.product),
            Value(notice.previousState), Value(notice.state), Value(notice.active), Value(notice.accessUntil),
        ]
    }

    /// Reads `position` and `columns`.
    static func read(_ row: Row) throws(EngineError) -> Entry { try read(row, from: 0) }

    static func read(_ row: Row, from column: Int32) throws(EngineError) -> Entry {
        var reader = RowReader(row, from: column)
        let position = reader.integer()
        let committedAt = reader.instant()
        var notice = Notice(kind: try reader.word())
        notice.provider = try reader.optionalWord()
        notice.environment = try reader.optionalWord()
        notice.type = reader.optionalText()
        notice.subtype = reader.optionalText()
        notice.event = reader.optionalText()
        notice.outcome = try reader.optionalWord()
        notice.user = reader.optionalUser()
        notice.contract = reader.optionalText()
        notice.order = reader.optionalText().flatMap { OrderToken($0) }
        notice.product = reader.optionalText()
        notice.previousState = try reader.optionalWord()
        notice.state = try reader.optionalWord()
        notice.active = reader.optionalFlag()
        notice.accessUntil = reader.optionalInstant()
        return Entry(position: position, committedAt: committedAt, notice: notice, fragments: [])
    }
}

extension LedgerConnection {
    /// Finds rows for `EntryRow.read`.
    func entries(where condition: String) throws(EngineError) -> Statement {
        try prepare("SELECT position, \(EntryRow.columns) FROM entries WHERE \(condition)")
    }
}

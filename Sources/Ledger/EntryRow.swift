internal import Domain

/// Converts between an entry and its row.
enum EntryRow {
    static let columns = """
        committed_at, kind, provider, environment, type, subtype, event, outcome, user, contract, order_token, product, \
        previous_state, state, active, access_until
        """
    static let count = 16
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
    static func read(_ row: Row) throws(SQLiteError) -> Entry {
        var notice = Notice(kind: try row.word(2))
        notice.provider = try row.optionalWord(3)
        notice.environment = try row.optionalWord(4)
        notice.type = row.optionalText(5)
        notice.subtype = row.optionalText(6)
        notice.event = row.optionalText(7)
        notice.outcome = try row.optionalWord(8)
        notice.user = row.optionalUser(9)
        notice.contract = row.optionalText(10)
        notice.order = row.optionalText(11).flatMap { OrderToken($0) }
        notice.product = row.optionalText(12)
        notice.previousState = try row.optionalWord(13)
        notice.state = try row.optionalWord(14)
        notice.active = row.optionalFlag(15)
        notice.accessUntil = row.optionalInstant(16)
        return Entry(position: row.integer(0), committedAt: row.instant(1), notice: notice, fragments: [])
    }
}

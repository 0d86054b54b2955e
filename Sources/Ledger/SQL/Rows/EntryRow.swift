import Domain

/// Converts between an entry and its row.
enum EntryRow {
    static let columns = """
        committed_at, kind, provider, environment, type, subtype, event, outcome, user, contract, order_token, product, \
        previous_state, state, access_until, entitlements, charge, charge_is_refund
        """
    /// What `read` takes, beside the position.
    static let readColumns = "\(columns), \(context)"
    /// For a join with `events`, which has some of the same names.
    static let qualifiedColumns =
        columns.split(separator: ", ").map { "entries." + $0 }.joined(separator: ", ") + ", \(context)"

    /// An entry keeps the order alone, and not what goes with it when the order's user is erased.
    private static let context = "(SELECT orders.context FROM orders WHERE orders.token = entries.order_token)"

    static func values(_ notice: Notice, at committedAt: Instant) -> [Value] {
        [
            Value(committedAt), Value(notice.kind), Value(notice.provider), Value(notice.environment),
            Value(notice.type), Value(notice.subtype), Value(notice.event), Value(notice.outcome), Value(notice.user),
            Value(notice.contract), Value(notice.order?.description), Value(notice.product),
            Value(notice.previousState), Value(notice.state), Value(notice.accessUntil),
            Value(notice.entitlements.map(EntitlementsText.text)), Value(notice.charge?.id),
            Value(notice.charge.map { $0.news == .refunded }),
        ]
    }

    /// Reads `position` and `readColumns`.
    static func read(_ row: inout Row) throws(EngineError) -> Entry {
        let position = row.integer()
        let committedAt = row.instant()
        var notice = Notice(kind: try row.word())
        notice.provider = try row.optionalWord()
        notice.environment = try row.optionalWord()
        notice.type = row.optionalText()
        notice.subtype = row.optionalText()
        notice.event = row.optionalText()
        notice.outcome = try row.optionalWord()
        notice.user = row.optionalUser()
        notice.contract = row.optionalText()
        notice.order = row.optionalText().flatMap { OrderToken($0) }
        notice.product = row.optionalText()
        notice.previousState = try row.optionalWord()
        notice.state = try row.optionalWord()
        notice.accessUntil = row.optionalInstant()
        notice.entitlements = row.skips(1) ? nil : try row.parsed(EntitlementsText.entitlements)
        if !row.skips(2) { notice.charge = NoticedCharge(id: row.text(), news: row.flag() ? .refunded : .made) }
        notice.context = OrderContextText.context(row.optionalText())
        return Entry(position: position, committedAt: committedAt, notice: notice, fragments: [])
    }
}

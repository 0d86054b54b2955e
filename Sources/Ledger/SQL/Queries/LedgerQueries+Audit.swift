public import Domain

extension LedgerQueries {
    /// Entries of the audit, newest first.
    public func audit(_ selection: AuditSelection, limit: Int) throws(EngineError) -> AuditPage {
        let after = try position(of: selection.since)
        let range: [Value] = [
            .integer(after), .integer(selection.before ?? .max), .integer(Int64(limit) + 1),
        ]
        let found: [AuditEntry]
        if let user = selection.user {
            let actor: [Value] = [Value(user), Value(selection.actor)]
            found = try sql(
                """
                SELECT id, \(AuditRow.columns) FROM audit
                WHERE user = ?1 AND (actor = ?2 OR ?2 IS NULL) AND id > ?3 AND id < ?4 ORDER BY id DESC LIMIT ?5
                """
            ).all(actor + range, read: AuditRow.read)
        } else if let actor = selection.actor {
            found = try sql(
                "SELECT id, \(AuditRow.columns) FROM audit WHERE actor = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"
            ).all([.text(actor)] + range, read: AuditRow.read)
        } else {
            found = try sql(
                "SELECT id, \(AuditRow.columns) FROM audit WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?"
            ).all(range, read: AuditRow.read)
        }
        return (Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    /// The last entry that is left out.
    private func position(of start: AuditSelection.Start?) throws(EngineError) -> Int64 {
        switch start {
        case nil: 0
        case .entry(let id): id
        case .time(let instant):
            try last(
                before: instant,
                upTo: try sql("SELECT max(id) FROM audit").first { row in row.optionalInteger() ?? 0 } ?? 0,
                by: sql("SELECT at FROM audit WHERE id <= ? ORDER BY id DESC LIMIT 1")
            )
        }
    }
}

/// Converts between an act and its row.
enum AuditRow {
    static let columns = "at, action, actor, system_user, user, reason, request"

    static func values(_ act: Act, at now: Instant) -> [Value] {
        [
            Value(now), .text(act.action.rawValue), .text(act.actor.name), Value(act.actor.systemUser), Value(act.user),
            Value(act.reason), Value(act.request),
        ]
    }

    /// Reads `id` and `columns`.
    static func read(_ row: inout Row) throws(EngineError) -> AuditEntry {
        let (id, at) = (row.integer(), row.instant())
        let action: Act.Action = try row.word()
        let actor = Act.Actor(name: row.text(), systemUser: row.optionalText())
        let act = Act(
            action,
            by: actor,
            user: row.optionalUser(),
            reason: row.optionalText(),
            request: row.optionalText()
        )
        return AuditEntry(id: id, at: at, act: act)
    }
}

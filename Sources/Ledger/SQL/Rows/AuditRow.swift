import Domain

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
    static func read(_ row: Row) throws(EngineError) -> AuditEntry {
        var reader = RowReader(row)
        let (id, at) = (reader.integer(), reader.instant())
        let action: Act.Action = try reader.word()
        let actor = Act.Actor(name: reader.text(), systemUser: reader.optionalText())
        let act = Act(
            action,
            by: actor,
            user: reader.optionalUser(),
            reason: reader.optionalText(),
            request: reader.optionalText()
        )
        return AuditEntry(id: id, at: at, act: act)
    }
}

public import Domain

/// Answers `GET /audit`: one page, newest first.
public struct AuditAnswer: Codable, Sendable, Equatable {
    public var entries: [AuditItem]
    /// The `before` parameter of the next page, or null on the last one.
    @Nullable public var next: Int64?

    public init(_ page: AuditPage) {
        entries = page.entries.map(AuditItem.init)
        next = page.hasMore ? page.entries.last?.id : nil
    }
}

/// Who did what to a user.
public struct AuditItem: Codable, Sendable, Equatable {
    /// Ascends with time.
    public var id: Int64
    /// ISO 8601, UTC.
    public var at: String
    /// An `Act.Action`.
    public var action: String
    /// The key's name; `api` for a key of `PAYCAST_API_KEY`, `cli` for a command with such a key.
    public var actor: String
    /// The system's user, as a command says.
    @Nullable public var systemUser: String?
    /// Null if it concerns nobody in particular, and for a user who was erased.
    @Nullable public var user: UserID?
    @Nullable public var reason: String?
    /// The request's `X-Request-ID`.
    @Nullable public var request: String?

    public init(_ entry: AuditEntry) {
        id = entry.id
        at = entry.at.iso8601
        action = entry.act.action.rawValue
        actor = entry.act.actor.name
        systemUser = entry.act.actor.systemUser
        user = entry.act.user
        reason = entry.act.reason
        request = entry.act.request
    }
}

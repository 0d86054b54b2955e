public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

/// `GET /audit[?user=&actor=&since=&before=&limit=]`: who did what to a user, when and why, newest first.
struct AuditEndpoint {
    let services: Services

    func answer(_ request: Request) throws(RefusedBody) -> Answer {
        var selection = AuditSelection.all
        if let user = request.query["user"] {
            guard isValidIdentifier(user) else { throw RefusedBody.invalidUserID }
            selection.user = UserID(user)
        }
        if let actor = request.query["actor"] {
            guard isValidIdentifier(actor) else {
                throw RefusedBody("invalid_actor", message: "actor must be the name of a key, api or cli.")
            }
            selection.actor = actor
        }
        if let text = request.query["since"] {
            guard let since = start(text) else {
                throw RefusedBody("invalid_since", message: "since must be an ISO 8601 instant, or an entry's id.")
            }
            selection.since = since
        }
        if let text = request.query["before"] {
            guard let before = number(text) else {
                let message = "before must be an entry's id: the next of the page before."
                throw RefusedBody("invalid_before", message: message)
            }
            selection.before = before
        }
        let limit = try request.query.limit()
        return .later { [selection, reader = services.reader] reply in
            reader.ask({ try $0.audit(selection, limit: limit) }) { result in
                reply.send(result) { page in JSON.response(200, body: AuditAnswer(page)) }
            }
        }
    }

    private func start(_ text: String) -> AuditSelection.Start? {
        number(text).map { .entry($0) } ?? Instant(iso8601: text).map { .time($0) }
    }

    /// An entry's id.
    private func number(_ text: String) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}

/// Answers `GET /audit`: one page, newest first.
public struct AuditAnswer: Codable, Sendable, Equatable {
    public var entries: [AuditItem]
    /// The `before` parameter of the next page, or null on the last one.
    @Nullable public var next: Int64?

    init(_ page: AuditPage) {
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

    init(_ entry: AuditEntry) {
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

import APIModel
import Domain
import HTTP
import Ledger
import Pages

/// `GET /audit[?user=&actor=&since=&before=&limit=]`: who did what to a user, when and why, newest first.
struct AuditEndpoint {
    let services: Services

    func answer(_ request: Request) throws(RefusedBody) -> Answer {
        var selection = AuditSelection()
        if let user = request.query["user"] {
            guard isValidIdentifier(user) else { return .respond(UsersEndpoint.invalidUser) }
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
        guard let limit = PageLimit.read(request) else { return .respond(PageLimit.refusal) }
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

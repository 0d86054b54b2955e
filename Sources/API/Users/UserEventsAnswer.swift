public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /users/{user}/events[?before=CURSOR&limit=N&bodies=true]`: a user's committed events, newest first, with the
    /// effects of each, or the reason why it had none.
    func userEvents(_ user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text) else { throw RefusedBody.invalidUserID }
        let before = try position(
            request.query["before"],
            or: "before must be a cursor of this ledger: the next of the page before."
        )
        let limit = try request.query.limit()
        let withBodies = try request.query.flag("bodies")
        if withBodies { try authorization.require(.personal, of: request) }
        let stream = streams.stream(for: user)
        let question = { @Sendable (queries: inout LedgerQueries) in
            try queries.userEvents(of: user, shownOn: stream, before: before, limit: limit, withBodies: withBodies)
        }
        let read = { @Sendable [self] (reply: Reply) in
            ask(question, for: reply) { [epoch] found in
                let answer = UserEventsAnswer(
                    user: user,
                    events: found.events.map { FeedItem($0, epoch: epoch) },
                    next: found.next?.description,
                    since: found.head.description
                )
                reply.send(JSON.response(200, body: answer))
            }
        }
        guard withBodies else { return .later(read) }
        let act = act(.read, of: request, user: user)
        return .later { [self] reply in note(act, reply: reply) { reply.send(busyUnless: read(reply)) } }
    }
}

extension FeedItem {
    init(_ event: UserEvent, epoch: String) {
        self.init(event.entry, epoch: epoch)
        occurredAt = event.dates?.occurredAt.iso8601
        receivedAt = event.dates?.receivedAt.iso8601
        body = event.body.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Query {
    /// How many items a page of an answer has.
    func limit() throws(RefusedBody) -> Int {
        guard let text = self["limit"] else { return 50 }
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text), (1...100).contains(number)
        else { throw RefusedBody("invalid_limit", message: "limit must be a number from 1 to 100.") }
        return number
    }

    /// False without the parameter.
    func flag(_ name: String) throws(RefusedBody) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        case _?: throw RefusedBody("invalid_flag", message: "\(name) must be true or false.")
        }
    }
}

/// Answers `GET /users/{user}/events`: one page, newest first.
public struct UserEventsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Each entry in the format of `/feed`, with the store's dates.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null on the last page.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String
}

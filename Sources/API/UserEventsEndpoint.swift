internal import Domain
internal import Gateway
internal import HTTP1
internal import Ledger

/// `GET /users/{user}/events[?before=CURSOR&limit=N]`: a user's committed events, newest first, with the effects of
/// each, or the reason why it had none.
struct UserEventsEndpoint {
    private static let limits = 1...100
    private static let usualLimit = 50

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Page: Encodable {
        var user: UserID
        /// Each event in the format of `/feed`, with the store's dates.
        var events: [FeedEvent.Line]
        /// The `before` parameter of the next page.
        var next: String?
        var since: String

        private enum Key: String, CodingKey {
            case user, events, next, since
        }

        /// On the last page, `next` is null.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(user, forKey: .user)
            try container.encode(events, forKey: .events)
            try container.encode(next, forKey: .next)
            try container.encode(since, forKey: .since)
        }
    }

    func answer(_ user: UserID, _ request: Request) -> Answer {
        guard isValidIdentifier(user.text) else { return .respond(UsersEndpoint.invalidUser) }
        let before = request.query["before"].map { Cursor($0) }
        if let before, before?.epoch != services.epoch { return .respond(UserEventsEndpoint.invalidCursor) }
        guard let limit = limit(request.query["limit"]) else { return .respond(UserEventsEndpoint.invalidLimit) }
        return .later { [reader = services.reader, streams = services.streams, epoch = services.epoch] reply in
            reader.userEvents(
                of: user,
                shownOn: streams.stream(for: user),
                before: before??.position,
                limit: limit
            ) { result in
                guard case .success(let found) = result else { return reply.send(UsersEndpoint.unavailable) }
                let page = Page(
                    user: user,
                    events: found.events.map { FeedEvent.Line($0, epoch: epoch) },
                    next: found.next?.description,
                    since: found.head.description
                )
                reply.send(JSON.response(200, page))
            }
        }
    }

    private func limit(_ text: String?) -> Int? {
        guard let text else { return UserEventsEndpoint.usualLimit }
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text), UserEventsEndpoint.limits.contains(number)
        else { return nil }
        return number
    }

    private static let invalidCursor = Response.error(
        400,
        "invalid_cursor",
        "before must be a cursor of this ledger: the next of the page before."
    )
    private static let invalidLimit = Response.error(400, "invalid_limit", "limit must be a number from 1 to 100.")
}

extension FeedEvent.Line {
    fileprivate init(_ event: UserEvent, epoch: String) {
        self.init(event.entry, Cursor(epoch: epoch, position: event.entry.position))
        occurredAt = event.dates?.occurredAt.iso8601
        receivedAt = event.dates?.receivedAt.iso8601
    }
}

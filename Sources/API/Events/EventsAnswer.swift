public import APIModel
import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /events[?before=CURSOR&since=CURSOR&limit=N&user=&provider=&environment=&type=&outcome=&product=]`: what was
    /// committed, newest first, by the filters of the feed.
    func events(_ request: Request) throws(RefusedBody) -> Answer {
        let oldest = try position(request.query["since"], or: "since must be a cursor of this ledger.") ?? 0
        let newest = try position(request.query["before"], or: "before must be a cursor of this ledger.")
        let limit = try request.query.limit()
        let selection = EntrySelection(request.query)
        return answer(asking: { try $0.newest(selection, after: oldest, before: newest, limit: limit) }) {
            [epoch] page in
            let isLast = page.through <= oldest || (selection.user != nil && page.entries.count < limit)
            let answer = EventsAnswer(
                events: page.entries.map { FeedItem($0, epoch: epoch) },
                next: isLast ? nil : Cursor(epoch: epoch, position: page.through + 1).description,
                since: page.head.description
            )
            return JSON.response(200, body: answer)
        }
    }
}

/// Answers `GET /events`: one page, newest first.
public struct EventsAnswer: Codable, Sendable, Equatable {
    /// In the format of `/feed`.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null once `since` or the ledger's beginning is reached.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String
}

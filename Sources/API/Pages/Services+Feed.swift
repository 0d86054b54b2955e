import APIModel
import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /feed[?since=CURSOR&user=…]`: the committed events, for `tail`.
    ///
    /// `since=start` is the beginning of the ledger, and an instant selects entries committed after it; without `since`
    /// the feed starts now. If the cursor is not one of this ledger, the first event is `reset`.
    func feed(_ request: Request) throws(RefusedBody) -> Answer {
        let filter = EntrySelection(request.query)
        let given = request.lastEventID.flatMap { $0.isEmpty ? nil : $0 } ?? request.query["since"]
        guard let given else { return .open(page(filter) { [self] done in now(done: done) }) }
        if let instant = Instant(iso8601: given) {
            return .open(page(filter) { [self] done in newer(than: instant, filter: filter, done: done) })
        }
        guard let cursor = given == "start" ? Cursor(epoch: epoch, position: 0) : Cursor(given) else {
            let message = "since must be a cursor of this ledger, an instant, or start."
            throw RefusedBody("invalid_cursor", message: message)
        }
        guard cursor.epoch == epoch else {
            return .open(page(filter) { [self] done in now(resetting: filter, done: done) })
        }
        return .open(page(filter) { [self] done in newer(than: cursor.position, filter: filter, done: done) })
    }

    private typealias Done = @Sendable (CatchUpBatch) -> Void

    private func page(
        _ filter: EntrySelection,
        read: @escaping @Sendable (_ done: @escaping Done) -> Bool
    ) -> PageRequest {
        let reading: PageRequest.Reading = { [self] position, done in
            newer(than: position, filter: filter, done: done)
        }
        return PageRequest(stream: filter.stream, feed: (filter, reading), readCatchUp: read)
    }

    /// Starts at the ledger's head. A consumer with a cursor of another ledger gets a `reset` to it.
    private func now(resetting filter: EntrySelection? = nil, done: @escaping Done) -> Bool {
        reader.ask({ try $0.head() }) { result in
            guard let head = try? result.get() else { return done(.unreadable) }
            done(CatchUpBatch(through: head.position, messages: filter.map { [.reset(to: head, filter: $0)] } ?? []))
        }
    }

    private func newer(than instant: Instant, filter: EntrySelection, done: @escaping Done) -> Bool {
        reader.ask({ try $0.position(before: instant) }) { [self] result in
            guard let position = try? result.get(), newer(than: position, filter: filter, done: done) else {
                return done(.unreadable)
            }
        }
    }

    private func newer(than position: Int64, filter: EntrySelection, done: @escaping Done) -> Bool {
        reader.ask({ try $0.entries(filter, after: position, limit: 500) }) { [epoch] result in
            guard case .success(let page) = result else { return done(.unreadable) }
            // The position that the consumer saw never existed here, or no longer does.
            guard position <= page.head.position else {
                return done(
                    CatchUpBatch(through: page.head.position, messages: [.reset(to: page.head, filter: filter)])
                )
            }
            done(CatchUpBatch(page, filter: filter, epoch: epoch))
        }
    }
}

extension Message {
    fileprivate static func reset(to head: Cursor, filter: EntrySelection) -> Message {
        let part = Part(html: FeedEvent.reset(to: head), collapseKey: nil)
        return Message(stream: filter.stream, position: head.position, parts: [part])
    }
}

extension CatchUpBatch {
    fileprivate init(_ page: EntryPage, filter: EntrySelection, epoch: String) {
        let messages = page.entries.map { entry in
            let part = Part(html: FeedEvent.block(entry, epoch: epoch), collapseKey: nil)
            return Message(stream: filter.stream, position: entry.position, parts: [part])
        }
        self.init(through: page.through, messages: messages, extent: page.isWhole ? .whole : .partial)
    }
}

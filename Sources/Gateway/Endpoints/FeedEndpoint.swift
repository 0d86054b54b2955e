internal import Domain
internal import HTTP1
internal import Hub
public import Ledger

/// `GET /feed[?since=CURSOR&user=…]`: committed events, for `tail`.
public struct FeedEndpoint: Sendable {
    /// Entries read from the ledger for one answer.
    private static let chunk = 500

    private let reader: LedgerReader
    private let epoch: String

    public init(reader: LedgerReader, epoch: String) {
        self.reader = reader
        self.epoch = epoch
    }

    init(_ services: Services) {
        self.init(reader: services.reader, epoch: services.epoch)
    }

    /// `since=start` is the ledger's beginning; without a cursor it is now.
    public func answer(_ request: Request) -> Answer {
        let filter = FeedFilter(request.query)
        let given = request.lastEventID.flatMap { $0.isEmpty ? nil : $0 } ?? request.query["since"]
        guard let given else { return .open(page(filter, after: nil)) }
        guard let cursor = given == "start" ? Cursor(epoch: epoch, position: 0) : Cursor(given) else {
            return .respond(.error(400, "invalid_cursor", "since must be a cursor of this ledger, or start."))
        }
        // A cursor of another ledger says nothing about this one: everything is new.
        return .open(page(filter, after: cursor.epoch == epoch ? cursor.position : 0))
    }

    private func page(_ filter: FeedFilter, after position: Int64?) -> PageRequest {
        let (reader, epoch) = (reader, epoch)
        let reading: PageRequest.Reading = { position, done in
            reader.entries(filter.selection, after: position, limit: FeedEndpoint.chunk) { result in
                guard case .success(let page) = result else { return done(.unreadable) }
                done(MissedMessages(page, filter, epoch: epoch))
            }
        }
        return PageRequest(stream: filter.stream, content: .feed(filter, reading: reading)) { done in
            if let position { return reading(position, done) }
            return reader.head { result in
                done((try? result.get()).map { MissedMessages(through: $0.position, messages: []) } ?? .unreadable)
            }
        }
    }
}

extension MissedMessages {
    fileprivate init(_ page: EntryPage, _ filter: FeedFilter, epoch: String) {
        let messages = page.entries.map { entry in
            let part = Part(html: FeedEvent.block(entry, epoch: epoch), collapseKey: nil)
            return Message(stream: filter.stream, position: entry.position, parts: [part])
        }
        self.init(through: page.through, messages: messages, extent: page.isWhole ? .whole : .partial)
    }
}

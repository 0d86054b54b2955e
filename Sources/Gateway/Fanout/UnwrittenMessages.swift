import Domain
import Pages

/// Messages that are published and still to be written: a page gets in one write what it is owed of a stream.
///
/// What a turn has not written yet comes first in the next one. Until then the loop publishes nothing else, and says nothing
/// to pages that has to come after it.
struct UnwrittenMessages {
    /// When it is full: what one write joins, unless one message is longer.
    static let limit = 64 << 10

    /// Messages of one stream for the same pages.
    private struct Fanout {
        let first: Message
        var others: [Message] = []
        let pages: ContiguousArray<SubscriptionID>
        var frames: FrameCache
        /// The newest entry in it that makes the pages reload.
        var refresh: Int64?
    }

    private var fanouts: [Fanout] = []
    /// The newest fan-out of each stream, except for the first of all: most often there is only one.
    private var places: [StreamName: Int] = [:]
    private var bytes = 0
    /// The page that comes next, and its fan-out.
    private var next = (fanout: 0, page: 0)
    /// Whether it is being written, so that nothing may be added.
    private var isClosed = false
    /// How many messages were written, each counted for each page: some pages leave before, or fall behind.
    private(set) var written = 0
    /// Who is told, once everything is written, to how many pages a publication went.
    var landings: [(delivery: DeliveryTracker, pages: Int)] = []
    /// What the port counts as owed until everything is written.
    var owed = 0

    var isEmpty: Bool { fanouts.isEmpty && landings.isEmpty && owed == 0 }
    var isOpen: Bool { !isClosed && bytes < UnwrittenMessages.limit }

    /// Adds a message for the pages that are live now. `cursor` is that of its entry.
    mutating func add(_ message: Message, cursor: Cursor?, to pages: ContiguousArray<SubscriptionID>) {
        guard !pages.isEmpty else { return }
        bytes += message.cost
        let refresh = message.hasRefresh ? message.position : nil
        let place = places[message.stream] ?? (fanouts.first?.first.stream == message.stream ? 0 : nil)
        if let place, fanouts[place].pages == pages {
            fanouts[place].others.append(message)
            fanouts[place].frames.append(html: message.html, cursor: cursor)
            fanouts[place].refresh = refresh ?? fanouts[place].refresh
            return
        }
        if !fanouts.isEmpty { places[message.stream] = fanouts.count }
        let frames = FrameCache(html: message.html, cursor: cursor)
        fanouts.append(Fanout(first: message, pages: pages, frames: frames, refresh: refresh))
    }

    /// From now on it is written, perhaps in several turns, and takes nothing more.
    mutating func close() { isClosed = !isEmpty }

    // MARK: Writing

    /// The page to write to now; nil after the last one.
    mutating func nextPage() -> SubscriptionID? {
        isClosed = true
        while next.fanout < fanouts.count {
            if next.page < fanouts[next.fanout].pages.count {
                defer { next.page += 1 }
                return fanouts[next.fanout].pages[next.page]
            }
            next = (next.fanout + 1, 0)
        }
        return nil
    }

    /// What the page to write to now gets, and the newest entry in it that makes the page reload.
    mutating func frames(for subscriber: Subscriber) -> (bytes: [UInt8], refresh: Int64?) {
        let place = next.fanout
        written += 1 + fanouts[place].others.count
        return (fanouts[place].frames.bytes(for: subscriber), fanouts[place].refresh)
    }

    /// The messages in that.
    var messages: [Message] { [fanouts[next.fanout].first] + fanouts[next.fanout].others }

    /// The oldest entry of this stream that is not yet written to a page; nil if all are.
    func oldest(for page: SubscriptionID, on stream: StreamName) -> Int64? {
        for (index, fanout) in fanouts.enumerated().dropFirst(next.fanout) where fanout.first.stream == stream {
            let written = index == next.fanout ? next.page : 0
            guard fanout.pages.dropFirst(written).contains(page) else { continue }
            let position = ([fanout.first] + fanout.others).lazy.compactMap(\.position).first
            if let position { return position }
        }
        return nil
    }

    /// Everything is written. Keeps the room for one fan-out, which is what most turns need.
    mutating func clear() {
        fanouts.removeAll(keepingCapacity: fanouts.count == 1)
        landings.removeAll(keepingCapacity: landings.count == 1)
        if !places.isEmpty { places = [:] }
        (bytes, written, owed) = (0, 0, 0)
        next = (0, 0)
        isClosed = false
    }
}

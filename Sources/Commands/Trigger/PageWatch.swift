import APIModel
import Domain
import HTTPClient
import Support
import Synchronization

/// A user's page, as a browser would open it, and the feed, which names what arrives on the page and says what became
/// of each event. Without a user, only the feed.
///
/// Two threads read, and a third one waits. No one joins the readers: they end with the program.
final class PageWatch: Sendable {
    /// Something that the page received.
    struct Message {
        var html: String
        /// In the words of the feed, such as `paywall:success`; empty until the feed has reported it.
        var fragments: [String]

        var description: String {
            fragments.isEmpty ? "a message that the feed does not name" : fragments.joined(separator: " ")
        }
    }

    private struct State {
        var messages: [(id: String, html: String)] = []
        /// Entries that the feed reported, oldest first.
        var entries: [FeedEntry] = []
        /// The fragments of the user's entries, by cursor.
        var fragments: [String: [String]] = [:]
        var openings = 0
        var problem: String?

        func messages(from start: Int) -> [Message] {
            messages.dropFirst(start).map { Message(html: $0.html, fragments: fragments[$0.id] ?? []) }
        }
    }

    private let state = Mutex(State())
    private let waker = Waker()

    /// Returns when both connections are open, so that nothing that follows is missed.
    init(_ remote: RemoteServer, user: String?, timeout: Duration) throws(CommandFailure) {
        let page: StreamAnswer? = if let user { try remote.page(of: user) } else { nil }
        if let page {
            let query = queryString([("name", page.signedStream), ("since", page.since)])
            follow(remote.url + "/streams" + query, headers: []) { [self] event in
                state.withLock { $0.messages.append((event.id, event.data)) }
            }
        }
        let feed = remote.url + "/feed" + queryString([("since", page?.since)])
        follow(feed, headers: remote.authorization) { [self] event in
            guard let entry = FeedEntry(event), let cursor = entry.cursor else { return }
            state.withLock { state in
                state.entries.append(entry)
                if user != nil, entry["user"] == user { state.fragments[cursor.description] = entry.fragments }
            }
        }
        let wanted = user == nil ? 1 : 2
        guard try wait(timeout: timeout, { $0.openings == wanted ? true : nil }) != nil else {
            throw CommandFailure("the page and the feed did not connect in time")
        }
    }

    /// Entries that the feed has reported so far, oldest first.
    var entries: [FeedEntry] { state.withLock { $0.entries } }

    /// The feed's entry for this event, since the answer to a store may be empty. Nil if none comes in time.
    func entry(of event: String, timeout: Duration) throws(CommandFailure) -> FeedEntry? {
        try wait(timeout: timeout, isHeeded: true) { $0.entries.first { $0["event"] == event } }
    }

    /// How many messages have arrived so far.
    var count: Int { state.withLock { $0.messages.count } }

    func messages(from start: Int) -> [Message] { state.withLock { $0.messages(from: start) } }

    /// The first message from `start` on that `pick` selects; nil when the time is up.
    func wait(from start: Int, timeout: Duration, pick: ([Message]) -> Message?) throws(CommandFailure) -> Message? {
        try wait(timeout: timeout, isHeeded: true) { pick($0.messages(from: start)) }
    }

    /// Waits until the page has received all that was committed up to `cursor`, as far as the feed has reported it.
    func waitUntilShown(upTo cursor: Cursor, timeout: Duration) throws(CommandFailure) {
        _ = try wait(timeout: timeout, isHeeded: true) { state -> Bool? in
            guard state.fragments[cursor.description] != nil else { return nil }
            let caused = state.fragments.filter { !$0.value.isEmpty }.keys
            return caused.allSatisfy { id in state.messages.contains { $0.id == id } } ? true : nil
        }
    }

    /// What `find` finds; nil when the time is up. `isHeeded`: nothing is left to do when nobody reads what is printed.
    private func wait<Found>(
        timeout: Duration,
        isHeeded: Bool = false,
        _ find: (State) -> Found?
    ) throws(CommandFailure) -> Found? {
        let deadline = ContinuousClock.now + timeout
        while true {
            let (found, problem) = state.withLock { (find($0), $0.problem) }
            if let found { return found }
            if let problem { throw CommandFailure(problem) }
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { return nil }
            if isHeeded { leaveIfNobodyReads(awaited: true) }
            waker.wait(timeout: min(rest, .seconds(1)))
        }
    }

    private func follow(
        _ url: String,
        headers: [(String, String)],
        take: @escaping @Sendable (EventStreamParser.Event) -> Void
    ) {
        _ = WorkerThread(name: "watch") { [self] in
            var parser = EventStreamParser()
            var isSeated = false
            var problem = "the server has ended the page's stream, or the feed"
            do throws(HTTPClientError) {
                let headers = headers + [("Accept", "text/event-stream")]
                try HTTPClient(timeout: .seconds(10)).stream(url, headers: headers) { event in
                    if case .head(let head) = event, head.status != 200 {
                        problem = "the server answers \(head.status) to the page"
                        return false
                    }
                    guard case .bytes(let bytes) = event else { return true }
                    for event in parser.receive(bytes) { take(event) }
                    // The first block, an id alone, means that the page is connected.
                    if !isSeated && !parser.lastEventID.isEmpty {
                        isSeated = true
                        state.withLock { $0.openings += 1 }
                    }
                    waker.wake()
                    return !parser.hasOverflowed
                }
            } catch {
                problem = "\(error)"
            }
            state.withLock { [problem] in $0.problem = $0.problem ?? problem }
            waker.wake()
        }
    }
}

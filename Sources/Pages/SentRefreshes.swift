public import Domain
public import Support
import Synchronization

/// Remembers which refreshes reloaded pages whose HTML may name the same cursor afterwards. All loops of a gateway
/// share it, since a page may come back to another loop.
///
/// Pages of one stream and one cursor cannot be told apart, but they can be counted: a page that reloads has closed its
/// connection before. So whoever comes while no page is away is one that has not had the refresh.
///
/// It lives in memory and is bounded: after a restart, or after tens of thousands of other reloads, a page is reloaded
/// once more.
///
/// A refresh that was written to an open page may have gone into a dead connection. Only a page that comes back within
/// seconds proves that the refresh arrived; after those seconds it counts as missed.
public final class SentRefreshes: Sendable {
    private struct Pages: Hashable {
        var stream: StreamName
        var origin: MissedSince
    }

    private struct Sent {
        /// The newest refresh that arrived, as far as we know.
        var arrived: Int64 = -1
        /// How many of the pages that have had it are connected, and how many have gone and may come back.
        var connected = 0
        var away = 0
        /// The newest refresh written to open pages, to how many, and until when a page's return proves that it arrived.
        var written: Int64 = -1
        var writtenTo = 0
        var provableUntil: MonotonicTime = 0

        /// The newest refresh that the page which connects now has had; -1 if it has had none.
        mutating func connect(now: MonotonicTime) -> Int64 {
            if arrived < written, now < provableUntil { (arrived, connected, away) = (written, 0, writtenTo) }
            if away == 0, connected > 0 { return -1 }
            away = max(0, away - 1)
            connected += 1
            return arrived
        }
    }

    static let capacity = 20_000
    static let returnNanoseconds: UInt64 = 5_000_000_000

    private let halves = Mutex(BoundedCache<Pages, Sent>(capacity: SentRefreshes.capacity))

    public init() {}

    /// Up to which entry refreshes have reached a page that connects and has missed one; -1 if it needs them all. Call
    /// `disconnect` when a page has gone that has had one.
    public func connect(
        on stream: StreamName,
        for refreshes: RefreshPolicy,
        now: MonotonicTime = monotonicNanoseconds()
    ) -> Int64 {
        switch refreshes {
        case .never: .max
        case .always: -1
        case .once(let origin): change(Pages(stream: stream, origin: origin)) { $0?.connect(now: now) } ?? -1
        }
    }

    /// A page that has had a refresh has gone. If it comes back, it has reloaded.
    public func disconnect(on stream: StreamName, for refreshes: RefreshPolicy) {
        guard case .once(let origin) = refreshes else { return }
        change(Pages(stream: stream, origin: origin)) { sent in
            guard let connected = sent?.connected, connected > 0 else { return }
            sent?.connected -= 1
            sent?.away += 1
        }
    }

    /// A page was sent a refresh among what it missed. `isFirst`: it has had none before, so far as this connection knows.
    public func recordMissed(
        _ position: Int64,
        on stream: StreamName,
        for refreshes: RefreshPolicy,
        isFirst: Bool = true
    ) {
        guard case .once(let origin) = refreshes else { return }
        change(Pages(stream: stream, origin: origin)) { known in
            var sent = known ?? Sent()
            if position > sent.arrived {
                (sent.arrived, sent.connected, sent.away) = (position, 1, 0)
            } else if isFirst {
                sent.connected += 1
            }
            known = sent
        }
    }

    /// A refresh was written to an open page.
    public func recordLive(
        _ position: Int64,
        on stream: StreamName,
        for refreshes: RefreshPolicy,
        now: MonotonicTime = monotonicNanoseconds()
    ) {
        guard case .once(let origin) = refreshes else { return }
        change(Pages(stream: stream, origin: origin)) { known in
            var sent = known ?? Sent()
            if position > sent.written { (sent.written, sent.writtenTo) = (position, 0) }
            sent.writtenTo += 1
            sent.provableUntil = now + SentRefreshes.returnNanoseconds
            known = sent
        }
    }

    private func change<Result: Sendable>(_ pages: Pages, _ change: (inout Sent?) -> Result) -> Result {
        halves.withLock { halves in
            var sent = halves[pages]
            let result = change(&sent)
            if let sent { halves[pages] = sent }
            return result
        }
    }
}

/// Which refreshes a page receives when it catches up.
///
/// A refresh is news, not a state: the page reloads and shows what its own server renders. Open pages get it. A page
/// that connects may be there because of the refresh, and could reload forever. So the answer depends on how the page
/// says what it has seen. A refresh that heals a gap follows the same rule.
public enum RefreshPolicy: Sendable, Hashable {
    /// The page does not say what it has seen: its server has just rendered it.
    case never
    /// The page's HTML says it, and may say the same after every reload. So an entry reloads as many pages of one stream
    /// and one origin as there are at a time, whether they were open or missed it (`SentRefreshes`). The price: a page that
    /// comes when another has just gone is taken for that one's return, and a page that comes before its own old
    /// connection has ended is reloaded once more.
    case once(MissedSince)
    /// The page's client keeps count of what arrives, and loses the count with the page. So anything newer has not
    /// arrived, and a refresh that reloaded the page is never sent to it again.
    case always
}

public import Domain
public import Support
import Synchronization

/// Remembers which refreshes reloaded pages whose HTML may name the same cursor afterwards. All loops of a gateway
/// share it, since a page may come back to another loop.
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
        /// The newest refresh written to an open page, and until when the page's return proves that it arrived.
        var written: Int64 = -1
        var provableUntil: MonotonicTime = 0
    }

    static let capacity = 20_000
    static let returnNanoseconds: UInt64 = 5_000_000_000

    private let halves = Mutex(BoundedCache<Pages, Sent>(capacity: SentRefreshes.capacity))

    public init() {}

    /// Whether a refresh may be sent among what a page missed. `position` is its entry's, or 0 if it has no entry.
    public func isNews(
        _ position: Int64,
        on stream: StreamName,
        for refreshes: RefreshPolicy,
        now: MonotonicTime = monotonicNanoseconds()
    ) -> Bool {
        switch refreshes {
        case .never: return false
        case .always: return true
        case .once(let origin):
            let pages = Pages(stream: stream, origin: origin)
            return halves.withLock { halves in
                guard var sent = halves[pages] else { return true }
                if position <= sent.arrived { return false }
                guard position <= sent.written, now < sent.provableUntil else { return true }
                sent.arrived = sent.written
                halves[pages] = sent
                return false
            }
        }
    }

    /// A page was sent a refresh among what it missed.
    public func recordMissed(_ position: Int64, on stream: StreamName, for refreshes: RefreshPolicy) {
        record(on: stream, for: refreshes) { $0.arrived = max($0.arrived, position) }
    }

    /// A refresh was written to an open page.
    public func recordLive(
        _ position: Int64,
        on stream: StreamName,
        for refreshes: RefreshPolicy,
        now: MonotonicTime = monotonicNanoseconds()
    ) {
        record(on: stream, for: refreshes) {
            $0.written = max($0.written, position)
            $0.provableUntil = now + SentRefreshes.returnNanoseconds
        }
    }

    private func record(on stream: StreamName, for refreshes: RefreshPolicy, change: (inout Sent) -> Void) {
        guard case .once(let origin) = refreshes else { return }
        let pages = Pages(stream: stream, origin: origin)
        halves.withLock { halves in
            var sent = halves[pages] ?? Sent()
            change(&sent)
            halves[pages] = sent
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
    /// The page's HTML says it, and may say the same after every reload. So each entry reloads the pages of one stream
    /// and one origin only once, whether they were open or missed it (`SentRefreshes`). The price: of two tabs with the
    /// same origin, the second is not reloaded if it was away when the first was reloaded.
    case once(MissedSince)
    /// The page's client keeps count of what arrives, and loses the count with the page. So anything newer has not
    /// arrived, and a refresh that reloaded the page is never sent to it again.
    case always
}

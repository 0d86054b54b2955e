public import Domain
public import HTTP
public import Support
import Synchronization

/// Remembers which pages refreshes have reloaded, since their HTML may name the same cursor afterwards. All loops of a
/// gateway share it, since a page may come back to another loop.
///
/// Pages of one stream, cursor and address cannot be told apart, but they can be counted: a page that reloads ends its
/// connection, or its subscription, before it opens another. So a page that comes while all that have had the refresh are
/// there is another one, and is sent it. One that comes within minutes after one of them has gone is taken for that one, under
/// another cursor too: most servers render a new one.
///
/// A refresh that was written to an open page may have gone into a dead connection. Only a page that comes back within
/// seconds proves that the refresh arrived; after those seconds it counts as missed.
///
/// It lives in memory and is bounded: after a restart, or after tens of thousands of other reloads, a page is reloaded
/// once more.
public final class SentRefreshes: Sendable {
    /// A page that follows a stream.
    public struct Page: Sendable {
        fileprivate let kind: Kind
        fileprivate let refreshes: RefreshPolicy
        fileprivate let line: Line
        fileprivate let subscription: SubscriptionID

        public init(
            on stream: StreamName,
            for refreshes: RefreshPolicy,
            from address: IPAddress?,
            over line: Line,
            as subscription: SubscriptionID
        ) {
            kind = Kind(source: Source(stream: stream, address: address), refreshes: refreshes)
            self.refreshes = refreshes
            self.line = line
            self.subscription = subscription
        }

        /// Whether its return has to be recognized.
        fileprivate var isCounted: Bool { if case .once = refreshes { true } else { false } }
    }

    /// The socket of a page.
    public struct Line: Sendable, Equatable {
        public let descriptor: Int32
        /// Whether other pages use it too, as streams of HTTP/2.
        public let isShared: Bool

        public init(descriptor: Int32, isShared: Bool) {
            self.descriptor = descriptor
            self.isShared = isShared
        }
    }

    /// What pages have in common that cannot be told apart.
    fileprivate struct Kind: Hashable {
        let source: Source
        let refreshes: RefreshPolicy

        /// Pages of the same HTML, wherever they come from.
        var anywhere: Kind { Kind(source: Source(stream: source.stream, address: nil), refreshes: refreshes) }
    }

    /// What a page has in common with itself after a reload.
    fileprivate struct Source: Hashable {
        let stream: StreamName
        let address: IPAddress?
    }

    private struct Connected {
        let line: Line
        let subscription: SubscriptionID
        /// Until when its return proves that it got the refresh; nil if it certainly did.
        let provableUntil: MonotonicTime?

        init(_ page: Page, provableUntil: MonotonicTime? = nil) {
            line = page.line
            subscription = page.subscription
            self.provableUntil = provableUntil
        }

        func isOf(_ page: Page) -> Bool { subscription == page.subscription && line == page.line }
    }

    private struct Sent {
        /// The newest refresh that any of them had.
        var newest: Int64
        /// Those that have had it and are here.
        var connected: [Connected] = []
        /// Until when each of those that have gone may come back.
        var away: [MonotonicTime] = []
        /// How many were sent it because they had missed it.
        var told = 0

        init(_ newest: Int64) { self.newest = newest }

        mutating func add(_ page: Connected) {
            if connected.count == SentRefreshes.pagesOfAKind { connected.removeFirst() }
            connected.append(page)
        }

        /// Forgets one page that has left, because the page that comes now may be that one. Returns false if none has left.
        mutating func takeAway(now: MonotonicTime, before page: Page, firstEnded: ([Line]) -> Int?) -> Bool {
            away.removeAll { $0 <= now }
            if !away.isEmpty {
                away.removeFirst()
                return true
            }
            // What comes over the same line, comes in order.
            let others = connected.indices.filter { index in
                connected[index].line != page.line && connected[index].provableUntil.map { now < $0 } ?? true
            }
            guard let ended = firstEnded(others.map { connected[$0].line }) else { return false }
            connected.remove(at: others[ended])
            return true
        }
    }

    static let capacity = 20_000
    /// As many of a kind are counted.
    static let pagesOfAKind = 32
    /// As many of a kind are sent the same refresh because they have missed it, and as many from all addresses: whatever
    /// else is mistaken, and if a page's address changes each time, no page reloads for ever.
    static let reloads = 10
    static let reloadsOfAll = 100
    static let returnNanoseconds: UInt64 = 5_000_000_000
    /// The time for which a page that has had a refresh is expected back.
    static let awayNanoseconds: UInt64 = 300_000_000_000

    private struct Memory {
        var kinds = BoundedCache<Kind, Sent>(capacity: SentRefreshes.capacity)
        /// The kinds of a source that were sent a refresh, the newest last.
        var sources = BoundedCache<Source, [Kind]>(capacity: SentRefreshes.capacity)
        /// How many pages of any address were sent the newest refresh because they had missed it.
        var told = BoundedCache<Kind, (refresh: Int64, pages: Int)>(capacity: SentRefreshes.capacity)
    }

    /// As many of one source are remembered.
    private static let kindsOfASource = 8

    private let memory = Mutex(Memory())

    public init() {}

    /// Up to which entry a page that comes has had refreshes; -1 if it needs all. `newest` is the newest that it has
    /// missed, 0 if that has no entry. `firstEnded` tells which of some lines has ended, even if its loop does not know it
    /// yet. Call `left` when the page has gone, if this is not -1.
    public func reached(
        by page: Page,
        missing newest: Int64,
        now: MonotonicTime = monotonicNanoseconds(),
        firstEnded: ([Line]) -> Int?
    ) -> Int64 {
        switch page.refreshes {
        case .never: return .max
        case .always: return -1
        case .once: break
        }
        return memory.withLock { memory in
            let all = memory.told[page.kind.anywhere]
            let isOver = all.map { newest <= $0.refresh && $0.pages >= SentRefreshes.reloadsOfAll } ?? false
            guard var sent = memory.kinds[page.kind] else { return isOver ? newest : -1 }
            defer { memory.kinds[page.kind] = sent }
            let mayBeTold = newest > sent.newest || sent.told < SentRefreshes.reloads && !isOver
            guard !sent.takeAway(now: now, before: page, firstEnded: firstEnded), mayBeTold else {
                sent.add(Connected(page))
                return sent.newest
            }
            sent.told += 1
            return -1
        }
    }

    /// A page comes that has missed no refresh. If one of its source has gone, that one has come back, rendered anew.
    public func came(
        _ page: Page,
        now: MonotonicTime = monotonicNanoseconds(),
        firstEnded: ([Line]) -> Int?
    ) {
        guard page.isCounted else { return }
        memory.withLock { memory in
            for kind in memory.sources[page.kind.source] ?? [] where kind != page.kind {
                guard var sent = memory.kinds[kind] else { continue }
                let isTaken = sent.takeAway(now: now, before: page, firstEnded: firstEnded)
                memory.kinds[kind] = sent
                if isTaken { return }
            }
        }
    }

    /// A page was sent a refresh among what it missed. Call `left` when it has gone.
    public func recordMissed(_ position: Int64, at page: Page) {
        record(position, at: page) { sent in
            if sent.told == 0 { sent.told = 1 }
            if !sent.connected.contains(where: { $0.isOf(page) }) { sent.add(Connected(page)) }
        }
        guard page.isCounted else { return }
        memory.withLock { memory in
            let all = memory.told[page.kind.anywhere]
            let pages = all.map { $0.refresh == position ? $0.pages : 0 } ?? 0
            memory.told[page.kind.anywhere] = (position, pages + 1)
        }
    }

    /// A refresh was written to an open page. Call `left` when it has gone.
    public func recordLive(_ position: Int64, at page: Page, now: MonotonicTime = monotonicNanoseconds()) {
        record(position, at: page) { sent in
            sent.connected.removeAll { $0.isOf(page) }
            sent.add(Connected(page, provableUntil: now + SentRefreshes.returnNanoseconds))
        }
    }

    private func record(_ position: Int64, at page: Page, change: (inout Sent) -> Void) {
        guard page.isCounted else { return }
        memory.withLock { memory in
            var sent = memory.kinds[page.kind] ?? Sent(position)
            if position > sent.newest { sent = Sent(position) }
            change(&sent)
            memory.kinds[page.kind] = sent
            let known = memory.sources[page.kind.source] ?? []
            guard !known.contains(page.kind) else { return }
            memory.sources[page.kind.source] = known.suffix(SentRefreshes.kindsOfASource - 1) + [page.kind]
        }
    }

    /// A page that may have had a refresh has gone: whoever comes soon is taken for it.
    public func left(_ page: Page, now: MonotonicTime = monotonicNanoseconds()) {
        guard page.isCounted else { return }
        memory.withLock { memory in
            guard var sent = memory.kinds[page.kind], let index = sent.connected.firstIndex(where: { $0.isOf(page) })
            else { return }
            let until = sent.connected.remove(at: index).provableUntil ?? now + SentRefreshes.awayNanoseconds
            if until > now { sent.away = sent.away.suffix(SentRefreshes.pagesOfAKind - 1) + [until] }
            memory.kinds[page.kind] = sent
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
    /// The page's HTML says it, and may say the same after every reload. So an entry reloads each page of one stream and one
    /// origin once, whether it was open or missed it (`SentRefreshes`). The price: a page that comes minutes after another
    /// of its address has left is taken for that one's return.
    case once(MissedSince)
    /// The page's client keeps count of what arrives, and loses the count with the page. So anything newer has not
    /// arrived, and a refresh that reloaded the page is never sent to it again.
    case always
}

import Crypto
public import Domain
import Synchronization

/// Whose open pages were ended, and since when names of their streams have to be signed anew. Each node holds all of it in
/// memory, from the ledger at its start and then from what is committed: pages are admitted on a loop's thread, which asks
/// no ledger.
public final class EndedPages: Sendable {
    private let streams: StreamPattern
    /// Ends the pages that are open at this node.
    private let close: @Sendable (StreamName) -> Void
    private let positions = Mutex<[UserID: Int64]>([:])
    /// Most servers have ended nobody's: then a name is not taken apart for its user.
    private let isEmpty = Atomic(true)

    public init(streams: StreamPattern, close: @escaping @Sendable (StreamName) -> Void) {
        self.streams = streams
        self.close = close
    }

    /// In this order: a page that was admitted before is closed, and one that comes later is refused.
    public func end(_ ending: PagesEnding) {
        note(ending)
        streams.stream(for: ending.user).map(close)
    }

    /// What the ledger has.
    public func note(_ ending: PagesEnding) {
        positions.withLock { $0[ending.user] = max($0[ending.user] ?? 0, ending.position) }
        isEmpty.store(false, ordering: .releasing)
    }

    /// What a name of the stream has to be signed after; 0 for most.
    public func last(on stream: StreamName) -> Int64 {
        guard !isEmpty.load(ordering: .acquiring), let user = streams.user(of: stream) else { return 0 }
        return positions.withLock { $0[user] ?? 0 }
    }

    /// Rails' names do not say when they were signed: once a user's pages were ended, all of them are refused.
    func refuses(_ name: SignedName) -> Bool { name.ending < last(on: name.stream) }
}

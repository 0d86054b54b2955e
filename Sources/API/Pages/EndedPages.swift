import Crypto
public import Domain
public import Ledger
import Support

/// Whose open pages were ended, and since when names of their streams have to be signed anew. Each node holds all of it in
/// memory, from the ledger at its start and then from what is committed: pages are admitted on a loop's thread, which asks
/// no ledger.
public final class EndedPages: Sendable {
    private let streams: StreamPattern
    /// Ends the pages that are open at this node.
    private let close: @Sendable (StreamName) -> Void
    private let users = SharedValue(EndedUsers.nobody)

    public init(streams: StreamPattern, close: @escaping @Sendable (StreamName) -> Void) {
        self.streams = streams
        self.close = close
    }

    /// In this order: a page that was admitted before is closed, and one that comes later is refused.
    public func end(_ ending: PagesEnding) {
        users.value.note(ending)
        streams.stream(for: ending.user).map(close)
    }

    /// What the ledger has, before the first page connects and before anything is committed here.
    public func begin(with users: EndedUsers) { self.users.replace(with: users) }

    /// What a name of the user's stream has to be signed after; nil for most. `stored` is what the ledger says, which may be ahead
    /// of this node's memory: a name without it would be worth nothing once this node hears of the ending, too.
    public func last(of user: UserID, stored: Int64, in epoch: String) -> Cursor? {
        let last = max(stored, users.value.last(of: user))
        return last > 0 ? Cursor(epoch: epoch, position: last) : nil
    }

    /// Rails' names do not say when they were signed: once a user's pages were ended, all of them are refused.
    func refuses(_ name: SignedName, in epoch: String) -> Bool {
        let users = users.value
        // Most servers have ended nobody's: then a name is not taken apart for its user.
        guard !users.isEmpty, let user = streams.user(of: name.stream) else { return false }
        return name.isSigned(before: users.last(of: user), in: epoch)
    }
}

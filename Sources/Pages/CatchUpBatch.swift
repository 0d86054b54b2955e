import Domain

/// The messages that let a page catch up before it goes live, from the ledger or from memory.
public struct CatchUpBatch: Sendable {
    public enum Extent: Sendable {
        case whole
        /// There is more than one answer should hold. Only a feed has as much, and it reads on (`PageRequest.Reading`).
        case partial
        /// The ledger could not be read: the page has to come back.
        case unreadable
    }

    /// Everything up to this position is in `messages` or concerns others. With `whole`, it is the newest position.
    public var through: Int64
    public var messages: [Message]
    public var extent: Extent
    /// The page's cursor was unknown or too old, so it got the newest state rather than everything since.
    public var hasGap: Bool

    public init(through: Int64, messages: [Message], extent: Extent = .whole, hasGap: Bool = false) {
        self.through = through
        self.messages = messages
        self.extent = extent
        self.hasGap = hasGap
    }

    /// Leaves out the parts that a newer one replaces, and all but the newest of equal refreshes: a page that already
    /// shows the newest state must not go through older ones again.
    public var collapsed: CatchUpBatch {
        var newerKeys: Set<CollapseKey> = []
        var newerRefreshes: Set<[UInt8]> = []
        return filtered { part, _ in
            let isNewest = part.collapseKey.map { newerKeys.insert($0).inserted } ?? true
            return isNewest && (!part.isRefresh || newerRefreshes.insert(part.html).inserted)
        }
    }

    /// Keeps the newest messages that fit, one in any case, then makes the page reload: the app's own server knows the
    /// rest. A page that came without a cursor has just been rendered, and gets no refresh (`RefreshPolicy`).
    public func bounded(to bytes: Int) -> CatchUpBatch {
        var left = bytes
        let fitting = messages.reversed().prefix { message in
            left -= message.cost
            return left >= 0
        }.count
        let kept = messages.suffix(max(fitting, 1))
        guard kept.count < messages.count, let newest = messages.last else { return self }
        let refresh = Message(stream: newest.stream, position: newest.position, parts: [.refresh])
        var missed = self
        missed.messages = kept + [refresh]
        return missed
    }

    /// The position of the newest refresh, 0 if its message has none; nil without a refresh.
    public var newestRefresh: Int64? { messages.last(where: \.hasRefresh).map { $0.position ?? 0 } }

    /// Keeps only the refreshes after a position; 0 stands for a message without one.
    public func withRefreshes(after position: Int64) -> CatchUpBatch {
        filtered { part, place in !part.isRefresh || place ?? 0 > position }
    }

    /// Calls `isIncluded` for each part, newest first.
    private func filtered(_ isIncluded: (Part, Int64?) -> Bool) -> CatchUpBatch {
        var missed = self
        missed.messages = messages.reversed().compactMap { message in
            let parts = message.parts.reversed().filter { isIncluded($0, message.position) }
            guard !parts.isEmpty else { return nil }
            return Message(stream: message.stream, position: message.position, parts: parts.reversed())
        }.reversed()
        return missed
    }
}

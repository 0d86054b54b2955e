import Domain

/// The messages that one subscription still has to receive, oldest first.
struct SubscriptionQueue {
    struct Pending {
        /// The message's own position; for a transient message, the position of the newest entry published before it.
        let order: Int64
        let isTransient: Bool
        var parts: [Part]
        /// On a transient message: the newest entry before it that a newer message has replaced. A page that resumed
        /// from before that entry would be sent it again, after this message.
        var passed: Int64?
    }

    var queue: ContiguousArray<Pending> = []
    var bytes = 0

    var isEmpty: Bool { queue.isEmpty }

    /// Queues a message and returns how many parts it made superfluous. `order` is as in `Pending`. Only the queue of a
    /// slow reader collapses: a page that comes back is owed everything it missed.
    mutating func add(_ message: Message, order: Int64, collapses: Bool) -> Int {
        add(Pending(order: order, isTransient: message.position == nil, parts: message.parts), collapses: collapses)
    }

    /// Inserts what a page missed before the newer messages collected meanwhile, without the messages that are in both.
    ///
    /// A transient message that came while the loop was behind the reader stays before the entries that it preceded.
    mutating func merge(missed: [Message], through: Int64) {
        var collected = queue.filter { $0.isTransient || $0.order > through }
        for index in collected.indices where collected[index].passed.map({ $0 <= through }) == true {
            collected[index].passed = nil
        }
        self = SubscriptionQueue()
        var rest = missed[...]
        for pending in collected {
            while let message = rest.first, (message.position ?? 0) <= pending.order {
                _ = add(rest.removeFirst(), order: message.position ?? 0, collapses: false)
            }
            _ = add(pending, collapses: false)
        }
        for message in rest { _ = add(message, order: message.position ?? 0, collapses: false) }
    }

    /// Takes whole messages up to `limit` bytes, but at least one.
    mutating func take(upTo limit: Int) -> OutgoingFrame? {
        guard !queue.isEmpty else { return nil }
        var frame = FrameHTML()
        var position: Int64?
        var refresh: Int64?
        var count = 0
        for pending in queue {
            let size = pending.parts.reduce(0) { $0 + $1.html.count }
            guard count == 0 || frame.bytes.count + size <= limit else { break }
            for part in pending.parts {
                frame.append(part)
                if part.isRefresh { refresh = max(refresh ?? 0, pending.isTransient ? 0 : pending.order) }
            }
            if let reached = pending.isTransient ? pending.passed : pending.order {
                position = max(position ?? reached, reached)
            }
            bytes -= pending.parts.reduce(0) { $0 + $1.cost }
            count += 1
        }
        if count == queue.count { queue = [] } else { queue.removeFirst(count) }
        return OutgoingFrame(html: frame.bytes, position: position, hasMore: !queue.isEmpty, refresh: refresh)
    }

    private mutating func add(_ pending: Pending, collapses: Bool) -> Int {
        guard !pending.parts.isEmpty else { return 0 }
        let keys = collapses ? pending.parts.compactMap(\.collapseKey) : []
        let collapsed = keys.isEmpty ? 0 : removeParts(keys, onlyTransient: pending.isTransient)
        bytes += pending.parts.reduce(0) { $0 + $1.cost }
        queue.append(pending)
        if collapsed > 0 { dropEmptied() }
        return collapsed
    }
}

/// In the queue of a slow reader, a newer part replaces the waiting ones with the same key: the same target.
extension SubscriptionQueue {
    /// Returns how many parts it removed. A transient message never replaces an entry: it may get lost with the
    /// connection, and the page would resume after both.
    mutating func removeParts(_ keys: [CollapseKey], onlyTransient: Bool) -> Int {
        var removed = 0
        for index in queue.indices where queue[index].isTransient || !onlyTransient {
            let parts = queue[index].parts
            let kept = parts.filter { part in !keys.contains { $0 == part.collapseKey } }
            guard kept.count < parts.count else { continue }
            bytes += kept.reduce(0) { $0 + $1.cost } - parts.reduce(0) { $0 + $1.cost }
            removed += parts.count - kept.count
            queue[index].parts = kept
        }
        return removed
    }

    /// Drops the messages that have no parts left. The next transient message carries how far they reached.
    mutating func dropEmptied() {
        var passed: Int64?
        for index in queue.indices {
            guard queue[index].isTransient || queue[index].parts.isEmpty else {
                passed = nil
                continue
            }
            let reached = queue[index].isTransient ? queue[index].passed : queue[index].order
            passed = reached.map { max($0, passed ?? $0) } ?? passed
            guard !queue[index].parts.isEmpty else { continue }
            queue[index].passed = passed
            passed = nil
        }
        queue.removeAll(where: \.parts.isEmpty)
    }
}

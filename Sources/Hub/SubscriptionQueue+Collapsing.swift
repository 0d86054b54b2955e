internal import Domain

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

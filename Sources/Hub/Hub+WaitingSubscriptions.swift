/// Subscriptions that need a check for each message: they catch up, are behind, or are ahead of this hub. What may not
/// be written at once is queued, and a slow reader whose queue outgrows `Limits.queuedBytes` is closed.
extension Hub {
    mutating func offerToWaiting(_ message: Message, of stream: Int) -> Fanout {
        var ahead: [SubscriptionID] = []
        var closed: [SubscriptionID] = []
        for id in table.streams[stream].waiting {
            switch offer(message, to: Int(id.index)) {
            case .notForIt, .queued, .live: break
            case .writeOnce: ahead.append(id)
            case .overflow: closed.append(id)
            }
        }
        let live = table.streams[stream].live
        tally.overflowed += closed.count
        for id in closed { table.remove(id) }
        return Fanout(live: ahead.isEmpty ? live : live + ahead, closed: closed)
    }

    enum Offer {
        case notForIt, queued, overflow
        /// It is in the live list now.
        case live
        /// A transient message for a subscription that is ahead of this hub and stays so.
        case writeOnce
    }

    /// Finds out whether the message may be written to this subscription now, and queues it if not.
    mutating func offer(_ message: Message, to index: Int) -> Offer {
        if table.slots[index].phase == .paused { return .notForIt }
        if let position = message.position, table.slots[index].hasRead(position) { return .notForIt }
        if table.slots[index].isReady {
            updatePhase(index)
            return table.slots[index].isLive ? .live : .writeOnce
        }
        let isBlocked = table.slots[index].isBlocked
        tally.collapsed += table.slots[index].queue.add(
            message,
            order: message.position ?? newest,
            collapses: isBlocked
        )
        return table.slots[index].queue.bytes > limits.queuedBytes ? .overflow : .queued
    }
}

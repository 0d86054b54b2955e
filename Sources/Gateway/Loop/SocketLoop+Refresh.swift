internal import Domain
internal import Hub

/// When something was lost that only the app's own server still knows.
extension SocketLoop {
    /// Tells every open page to load itself again. `gap`: the entry that says so, if it could be committed; pages that come
    /// later and have not seen it are told by the ledger.
    func refreshPages(for gap: Int64?) {
        let pages = seats.compactMap { $0 }.filter { $0.transport != .feed }
        refreshing = Refreshing(pages: Spread(pages.map(\.subscription)), gap: gap)
        hub.forgetRecentMessages()
    }

    /// At each tick. Each page, not each stream: one that came meanwhile is as new as its own server.
    func refreshSome() {
        for id in refreshing.pages.next() {
            guard let seat = seat(of: id) else { continue }
            let message = Message(stream: seat.stream, position: nil, parts: [.refresh])
            guard let fanout = hub.publish(message, to: id, unlessRead: refreshing.gap ?? .max) else {
                refreshing.pages.putBack(id)
                continue
            }
            deliver(message, to: fanout, refresh: refreshing.gap)
        }
    }
}

/// Pages that are still to be told.
struct Refreshing {
    var pages: Spread<SubscriptionID>
    /// What they are told of; nil: it has no place in the ledger.
    var gap: Int64?
}

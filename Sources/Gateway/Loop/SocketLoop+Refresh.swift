internal import Domain
internal import Hub

/// Reloads pages when something was lost that only the app's own server still knows.
extension SocketLoop {
    /// Makes every open page reload. `gap` is the entry that records the loss, if it could be committed; the ledger
    /// tells pages that come later and have not seen it.
    func refreshPages(for gap: Int64?) {
        let pages = subscribers.compactMap { $0 }.filter { $0.transport != .feed }
        refreshing = Refreshing(pages: StaggeredQueue(pages.map(\.subscription)), gap: gap)
        hub.forgetRecentMessages()
    }

    /// Runs at each tick. It goes by page, not by stream: a page that came meanwhile is as new as its own server.
    func refreshSome() {
        for id in refreshing.pages.next() {
            guard let subscriber = subscriber(of: id) else { continue }
            let message = Message(stream: subscriber.stream, position: nil, parts: [.refresh])
            guard let fanout = hub.publish(message, to: id, unlessRead: refreshing.gap ?? .max) else {
                refreshing.pages.putBack(id)
                continue
            }
            deliver(message, to: fanout, refresh: refreshing.gap)
        }
    }
}

/// The pages that are still to be told.
struct Refreshing {
    var pages: StaggeredQueue<SubscriptionID>
    /// The entry that they are told of; nil if it has no position in the ledger.
    var gap: Int64?
}

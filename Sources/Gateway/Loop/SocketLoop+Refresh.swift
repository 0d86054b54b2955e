internal import Domain
internal import Hub
internal import Pages

/// Reloads pages when something was lost that only the app's own server still knows.
extension SocketLoop {
    /// Makes every open page reload. `gap` is the entry that records the loss, if it could be committed; the ledger
    /// tells pages that come later and have not seen it.
    func refreshPages(for gap: Int64?) {
        refresh = PageRefresh(of: subscribers.pages, gap: gap)
        hub.forgetRecentMessages()
    }

    /// Runs at each tick. It goes by page, not by stream: a page that came meanwhile is as new as its own server.
    func refreshSome() {
        for id in refresh.next() {
            guard let subscriber = subscribers[id] else { continue }
            let message = Message(stream: subscriber.stream, position: nil, parts: [.refresh])
            guard let fanout = hub.publish(message, to: id, unlessRead: refresh.gap ?? .max) else {
                refresh.putBack(id)
                continue
            }
            deliver(message, to: fanout, refresh: refresh.gap)
        }
    }
}

internal import Domain
internal import Hub
internal import Observability
internal import Pages
internal import Sockets

/// From a publication to every open page of this loop, and from a broadcast at this loop to the others.
extension PageWriter {
    func publish(_ publication: Publication) {
        if let entry = publication.entry {
            for stream in subscriptions.feeds(admitting: entry.notice) {
                let event = FeedEvent.block(entry, epoch: loop.settings.epoch)
                let part = Part(html: event, collapseKey: nil)
                publish(Message(stream: stream, position: entry.position, parts: [part]))
            }
        }
        if publication.entry?.notice.kind == .userErased {
            for message in publication.messages { subscriptions.hub.erase(message.stream) }
        }
        let written = publication.messages.reduce(0) { $0 + publish($1) }
        publication.delivery?.landed(written)
        guard let entry = publication.entry else { return }
        subscriptions.hub.advance(to: entry.position)
        if entry.notice.kind == .broadcastsLost { reloadPages(for: entry.position) }
    }

    /// Publishes a transient broadcast that arrived at this loop. Its own pages get it directly, unless mail waits.
    func broadcast(_ messages: [Message]) {
        loop.metrics.published.add(messages.count)
        for peer in peers where messages.contains(where: { peer.follows($0.stream) }) {
            peer.send(.broadcast(messages))
        }
        guard loop.port.isEmpty else { return loop.port.send(.broadcast(messages)) }
        for message in messages { publish(message) }
    }

    // MARK: Reloading

    /// Makes every open page reload, because something was lost that only the app's own server still knows. `gap` is
    /// the entry that records the loss, if it could be committed; the ledger tells pages that come later.
    func reloadPages(for gap: Int64?) {
        reloads = StaggeredQueue(subscriptions.pages, ticks: LoopSettings.spreadTicks)
        reloadGap = gap
        subscriptions.hub.forgetRecentMessages()
    }

    /// Runs at each tick. It goes by page, not by stream: a page that connects meanwhile is as new as its own server.
    func reloadSome() {
        for id in reloads.next() {
            guard let subscriber = subscriptions[id] else { continue }
            let message = Message(stream: subscriber.stream, position: nil, parts: [.refresh])
            guard let fanout = subscriptions.hub.publish(message, to: id, unlessRead: reloadGap ?? .max) else {
                // Its missed messages are still being read.
                reloads.putBack(id)
                continue
            }
            deliver(message, to: fanout, refresh: reloadGap)
        }
    }
}

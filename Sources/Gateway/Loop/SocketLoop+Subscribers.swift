internal import ActionCable
internal import Concurrency
internal import Domain
internal import Hub
internal import Observability
internal import WebSocket

/// Which subscription sits where, and how a client leaves.
extension SocketLoop {
    func subscriber(of id: SubscriptionID) -> Subscriber? {
        guard Int(id.index) < subscribers.count, let subscriber = subscribers[Int(id.index)],
            subscriber.subscription == id
        else { return nil }
        return subscriber
    }

    func take(_ subscriber: Subscriber, until expiry: Instant?) {
        let index = Int(subscriber.subscription.index)
        if index >= subscribers.count {
            subscribers.append(contentsOf: repeatElement(nil, count: index + 1 - subscribers.count))
        }
        subscribers[index] = subscriber
        port.count(1, followersOf: subscriber.stream)
        if let expiry { expiries.add(subscriber.subscription, at: expiry, now: settings.clock.now()) }
    }

    /// Ends a subscription. Its connection stays open.
    func vacate(_ id: SubscriptionID) {
        hub.unsubscribe(id)
        expiries.remove(id)
        guard let subscriber = subscriber(of: id) else { return }
        port.count(-1, followersOf: subscriber.stream)
        subscribers[Int(id.index)] = nil
    }

    /// Ends everything that the connection follows.
    func leave(_ connection: Connection) {
        for id in connection.subscriptions { vacate(id) }
        switch connection.phase {
        case .page(let page):
            wheel.remove(page.heartbeat)
            metrics.pages(page.transport).add(-1)
            if let feed = followed.removeValue(forKey: connection.id), !followed.values.contains(feed) {
                feeds[feed] = nil
            }
        case .cable(let client):
            pings.remove(client.heartbeat)
            metrics.pages(client.transport).add(-1)
            if let sid = client.sid { sessions.keep(client.session.identifiers, as: sid) }
        default: return
        }
        connection.phase = .closing
    }

    /// Ends a connection from outside its own callback, and says why to clients that can be told.
    func disconnect(_ connection: Connection, _ reason: CableDisconnect, code: CloseCode = .tryAgainLater) {
        if case .cable = connection.phase, !connection.link.isBehind {
            _ = connection.link.write(Frame.encode(.text, CableMessage.disconnect(reason)))
        }
        close(connection, code: code)
    }

    /// A WebSocket gets 1013 (try again later), so that scripts come back. An event stream just ends.
    func close(_ connection: Connection, code: CloseCode = .tryAgainLater) {
        guard let isWebSocket = connection.isWebSocket else { return end(connection) }
        let wasBehind = connection.behindSince != nil
        leave(connection)
        guard isWebSocket else {
            connection.link.finish()
            // Nobody waits for a reader that took nothing.
            return wasBehind ? end(connection) : finish(connection, lingers: false)
        }
        guard !connection.link.isBehind, connection.link.write(Frame.close(code)) else { return end(connection) }
        connection.phase = .parting
        partings.append((connection.id, now + LoopSettings.partingTicks))
    }

    /// Ends the connections that have not answered our close frame in time.
    func endPartings() {
        let due = partings.prefix { $0.tick <= now }
        guard !due.isEmpty else { return }
        for (id, _) in due { connections[id].map(end) }
        partings.removeFirst(due.count)
    }
}

internal import ActionCable
internal import Concurrency
internal import Domain
internal import Hub
internal import Observability
internal import Sockets
internal import WebSocket

/// How clients subscribe, and how they leave.
extension SocketLoop {
    func add(_ subscriber: Subscriber, until expiry: Instant?) {
        subscribers.add(subscriber)
        port.count(1, followersOf: subscriber.stream)
        if let expiry { subscribers.expire(subscriber.subscription, at: expiry, now: settings.clock.now()) }
    }

    /// Ends a subscription. Its connection stays open.
    func unsubscribe(_ id: SubscriptionID) {
        hub.unsubscribe(id)
        if let subscriber = subscribers.remove(id) { port.count(-1, followersOf: subscriber.stream) }
    }

    /// Ends everything that the connection follows.
    func leave(_ connection: Connection) {
        for id in connection.subscriptions { unsubscribe(id) }
        switch connection.phase {
        case .page(let page):
            heartbeats.remove(page.heartbeat)
            metrics.pages(page.transport).add(-1)
        case .cable(let client):
            pings.remove(client.heartbeat)
            metrics.pages(client.transport).add(-1)
            if let sid = client.sid { sessions.keep(client.session.identifiers, as: sid) }
        default: return
        }
        connection.phase = .closing
    }

    /// Ends a connection from outside its own callback, and says why to clients that can be told.
    func disconnect(_ connection: Connection, reason: CableDisconnect, code: CloseCode = .tryAgainLater) {
        if case .cable = connection.phase, !connection.link.isBehind {
            _ = connection.link.write(Frame.encode(.text, payload: CableMessage.disconnect(reason)))
        }
        close(connection, code: code)
    }

    /// A WebSocket gets 1013 (try again later), so that scripts come back. An event stream just ends.
    func close(_ connection: Connection, code: CloseCode = .tryAgainLater) {
        guard let isWebSocket = connection.isWebSocket else { return end(connection) }
        let wasBehind = connection.isBlocked
        leave(connection)
        guard isWebSocket else {
            connection.link.finish()
            // Nobody waits for a reader that took nothing.
            return wasBehind ? end(connection) : finish(connection, lingers: false)
        }
        guard !connection.link.isBehind, connection.link.write(Frame.close(code)) else { return end(connection) }
        connection.phase = .closeSent
        closingHandshakes.add(connection.id, now: clock.now)
    }
}

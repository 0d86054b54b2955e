internal import ActionCable
internal import Concurrency
internal import Domain
internal import Hub
internal import Observability
internal import Pages
internal import Sockets
internal import WebSocket

/// What is due at a certain time: heartbeats, pings, expired names, goodbyes.
extension SocketLoop {
    /// Runs ten times a second.
    func tick() {
        clock.tick()
        for id in heartbeats.tick() {
            guard let connection = connections[id], case .page(let page) = connection.phase, page.opening == nil
            else { continue }
            sendHeartbeat(to: page, on: connection)
        }
        pingClients()
        for id in subscribers.tick(now: settings.clock.now) { expire(id) }
        refreshSome()
        releaseSome()
        endUnansweredHandshakes()
    }

    /// Sends a comment or a ping. Ends a page that has answered no ping for a turn of the wheel. One that takes no more
    /// for now has the deadline of slow readers instead.
    private func sendHeartbeat(to page: Page, on connection: Connection) {
        guard !connection.isBlocked else { return }
        if let ping = page.unansweredPing {
            return isReading(page, since: ping, on: connection) ? () : end(connection)
        }
        let isPing = page.transport == .webSocket
        if isPing { page.unansweredPing = ReadingProgress(start: connection.link.confirmedBytes) }
        guard connection.link.write(isPing ? SocketLoop.ping : EventStream.heartbeat) else { return end(connection) }
        if connection.link.isBehind { fellBehind(connection) }
    }

    /// The ping has a payload: some clients and proxies do not answer an empty one.
    private static let ping = Frame.encode(.ping, payload: Array("paycast".utf8))

    private func pingClients() {
        let due = pings.tick()
        guard !due.isEmpty else { return }
        let message = CableMessage.ping(seconds: settings.clock.now().milliseconds / 1000)
        let frame = Frame.encode(.text, payload: message)
        for id in due {
            guard let connection = connections[id], case .cable = connection.phase else { continue }
            ping(connection, with: frame)
        }
    }

    private func expire(_ id: SubscriptionID) {
        guard let connection = subscribers[id]?.connection else { return }
        switch connection.phase {
        case .page(let page): expire(page, on: connection)
        case .cable(let client): expire(id, of: client, on: connection)
        default: break
        }
    }

    /// Ends the connections that have not answered our close frame in time.
    private func endUnansweredHandshakes() {
        for id in closingHandshakes.takeOverdue(now: clock.now) { connections[id].map(end) }
    }
}

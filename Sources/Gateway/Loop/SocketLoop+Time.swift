internal import Cable
internal import Domain
internal import Hub
internal import Runtime

/// What happens by time: heartbeats, pings, ends of names, hang-ups.
extension SocketLoop {
    /// Ten times a second.
    func tick() {
        now += 1
        for tag in hangups.take() {
            guard let connection = connections[ConnectionID(number: tag)] else { continue }
            if connection.isWebSocket != nil || connection.socket.isBehind { connection.socket.kill() }
        }
        for id in wheel.tick() {
            guard let connection = connections[id], case .page(let page) = connection.phase, openings[id] == nil
            else { continue }
            beat(connection, page)
        }
        pingClients()
        for id in expiries.tick(now: settings.clock.now) { expire(id) }
        refreshSome()
        releaseSome()
        endPartings()
    }

    /// A comment or a ping; whoever took no byte for 30 s, or answered no ping for a turn of the wheel, is closed.
    private func beat(_ connection: Connection, _ page: Page) {
        if let behindSince = connection.behindSince {
            guard now - behindSince < settings.writeDeadlineTicks else {
                metrics.slow.add()
                return close(connection)
            }
            return
        }
        guard page.transport == .webSocket else {
            if !write(EventStream.heartbeat, to: connection.socket) { connection.socket.kill() }
            return
        }
        guard !page.isPinged else { return connection.socket.kill() }
        page.isPinged = true
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        if !connection.socket.write(&bytes, as: .ping) { connection.socket.kill() }
    }

    private func pingClients() {
        let due = pings.tick()
        guard !due.isEmpty else { return }
        let message = CableMessage.ping(seconds: settings.clock.now().milliseconds / 1000)
        var frame = [UInt8](repeating: 0, count: Socket.headroom) + message
        for id in due {
            guard let connection = connections[id], case .cable(let client) = connection.phase else { continue }
            ping(client, on: connection, with: &frame)
        }
    }

    private func expire(_ id: SubscriptionID) {
        guard let connection = seat(of: id)?.connection else { return }
        switch connection.phase {
        case .page(let page): expire(page, on: connection)
        case .cable(let client): expire(id, of: client, on: connection)
        case .idle, .collecting, .waiting, .answering, .upgrading, .closing: break
        }
    }

    /// A WebSocket answered a ping.
    func answered(_ socket: Socket) {
        if case .page(let page) = connection(of: socket).phase { page.isPinged = false }
    }
}

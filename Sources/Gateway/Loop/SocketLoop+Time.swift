internal import Hub
internal import Runtime

/// What happens by time: heartbeats, write deadlines, hang-ups, the drain.
extension SocketLoop {
    /// Twice a second.
    func tick() {
        now += 1
        for tag in hangups.take() {
            connections[ConnectionID(number: tag)]?.socket.kill()
        }
        for id in wheel.tick() {
            guard let connection = connections[id], case .page(let page) = connection.phase, openings[id] == nil
            else { continue }
            beat(connection, page)
        }
    }

    /// A comment or a ping; whoever took no byte for 30 s, or answered no ping for a turn of the wheel, is closed.
    private func beat(_ connection: Connection, _ page: Page) {
        if let behindSince = page.behindSince {
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
        var pinged = page
        pinged.isPinged = true
        connection.phase = .page(pinged)
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        if !connection.socket.write(&bytes, as: .ping) { connection.socket.kill() }
    }

    /// The peer sent something: it lives. What it says on a stream means nothing.
    func heard(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        guard case .page(var page) = connection.phase else { return .keep }
        page.isPinged = false
        connection.phase = .page(page)
        return .keep
    }

    /// Lets every page go, with a spread delay so that they do not all come back at once.
    func drain() {
        stopListening()
        for connection in pages.compactMap({ $0 }) {
            guard case .page(let page) = connection.phase else { continue }
            if page.transport != .webSocket, !connection.socket.isBehind {
                let delay = Int.random(in: 1000...4000, using: &generator)
                let head = openings.removeValue(forKey: connection.id) ?? ""
                _ = write("\(head)retry: \(delay)\n\n", to: connection.socket)
            }
            close(connection, code: 1001)
        }
    }
}

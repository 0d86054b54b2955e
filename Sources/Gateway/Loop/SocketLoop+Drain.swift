internal import ActionCable
internal import Concurrency
internal import Domain
internal import Hub
internal import Pages
internal import Sockets
internal import WebSocket

/// The drain tells every client to come back, a few clients at a time.
extension SocketLoop {
    /// Accepts no more connections. `done` is fulfilled when everyone has been told.
    func startDrain(_ done: Promise<Void>) {
        acceptor.stop()
        for connection in connections.all {
            if case .http2(let client) = connection.phase { retire(client, on: connection) }
        }
        let leaving = connections.all.filter { $0.isWebSocket != nil }
        guard !leaving.isEmpty else { return done.fulfil(()) }
        drain = Drain(leaving, done: done)
        releaseSome()
    }

    /// Runs at each tick.
    func releaseSome() {
        guard let due = drain?.next() else {
            drain = nil
            return
        }
        for connection in due { release(connection) }
    }

    private func release(_ connection: Connection) {
        switch connection.phase {
        case .page(let page):
            if !connection.isBlocked { sayGoodbye(to: page, on: connection) }
            close(connection, code: .serviceRestart)
        case .cable: disconnect(connection, reason: .serverRestart, code: .serviceRestart)
        default: break
        }
    }

    /// A browser reopens an event stream after `retry` milliseconds. A WebSocket stays closed, so its element is
    /// replaced by one that opens an event stream.
    private func sayGoodbye(to page: Page, on connection: Connection) {
        guard page.transport == .webSocket else {
            let delay = Int.random(in: 1000...4000)
            _ = say("retry: \(delay)\n\n", to: page, on: connection)
            return
        }
        guard let source = page.source else { return }
        let since = "\(Cursor(epoch: settings.epoch, position: hub.position))"
        _ = connection.link.write(Frame.encode(.text, payload: source.replacement(since: since)))
    }
}

internal import ActionCable
internal import Concurrency
internal import Domain
internal import Hub
internal import WebSocket

/// The drain tells every client to come back, a few clients at a time.
extension SocketLoop {
    /// Accepts no more connections. `done` is fulfilled when everyone has been told.
    func drain(_ done: Promise<Void>) {
        stopListening()
        for connection in connections.values {
            if case .http2(let client) = connection.phase { retire(client, connection) }
        }
        let leaving = connections.values.filter { $0.isWebSocket != nil }
        guard !leaving.isEmpty else { return done.fulfil(()) }
        draining = Draining(leaving: StaggeredQueue(leaving), done: done)
        releaseSome()
    }

    /// Runs at each tick, and is done one tick after the last goodbye.
    func releaseSome() {
        guard let due = draining?.leaving.next() else { return }
        for connection in due { release(connection) }
        guard due.isEmpty else { return }
        draining?.done.fulfil(())
        draining = nil
    }

    private func release(_ connection: Connection) {
        switch connection.phase {
        case .page(let page):
            if connection.behindSince == nil { sayGoodbye(page, connection) }
            close(connection, code: .serviceRestart)
        case .cable: disconnect(connection, .serverRestart, code: .serviceRestart)
        default: break
        }
    }

    /// A browser reopens an event stream after `retry` milliseconds. A WebSocket stays closed, so its element is
    /// replaced by one that opens an event stream.
    private func sayGoodbye(_ page: Page, _ connection: Connection) {
        guard page.transport == .webSocket else {
            let delay = Int.random(in: 1000...4000)
            _ = say("retry: \(delay)\n\n", to: page, on: connection)
            return
        }
        guard let source = page.source else { return }
        let since = "\(Cursor(epoch: settings.epoch, position: hub.position))"
        _ = connection.link.write(Frame.encode(.text, source.replacement(since: since)))
    }
}

/// The connections that are still to be told.
struct Draining {
    var leaving: StaggeredQueue<Connection>
    let done: Promise<Void>
}

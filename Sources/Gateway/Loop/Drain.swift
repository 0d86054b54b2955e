internal import HTTP
internal import Pages
internal import Support

/// Tells every client to come back, a few clients at a time.
struct Drain {
    let http2: HTTP2Clients
    private var requests: RequestServer { http2.requests }
    private var connections: ConnectionTable { requests.closer.connections }
    /// The clients that are still to be told, and the promise that waits for it.
    var running: (clients: StaggeredQueue<Connection>, done: Promise<Void>)?

    /// Accepts no more connections. `done` is fulfilled when everyone has been told.
    mutating func start(_ done: Promise<Void>) {
        requests.loop.acceptor.stop()
        for connection in connections.all {
            guard case .http2(let client) = connection.phase else { continue }
            // Takes no more requests; running requests continue.
            client.session.goAway()
            http2.flush(client, on: connection)
        }
        let leaving = connections.all.filter(\.isPage)
        guard !leaving.isEmpty else { return done.fulfil(()) }
        running = (StaggeredQueue(leaving, ticks: LoopSettings.spreadTicks), done)
        tick()
    }

    /// The drain is over one tick after the last clients were told.
    mutating func tick() {
        guard let due = running?.clients.next() else { return }
        for connection in due { release(connection) }
        guard due.isEmpty else { return }
        running?.done.fulfil(())
        running = nil
    }

    private func release(_ connection: Connection) {
        switch connection.phase {
        case .page(let page): requests.pages.release(page, on: connection)
        case .cable: requests.closer.disconnect(connection, reason: .serverRestart, code: .serviceRestart)
        default: break
        }
    }
}

import HTTP
import Pages
import Support

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

/// Things to be done over a few seconds, a few at each tick, so that thousands of pages do not come back at once.
struct StaggeredQueue<Item> {
    private var items: [Item]
    private let perTick: Int

    /// Takes one tick for each 50 items, at most `limit`.
    init(_ items: [Item], ticks limit: Int) {
        self.items = items
        perTick = items.count / min(limit, max(1, items.count / 50)) + 1
    }

    /// Puts back an item that could not be done yet.
    mutating func putBack(_ item: Item) {
        items.insert(item, at: 0)
    }

    /// The elements that are due at this tick.
    mutating func next() -> [Item] {
        let due = items.suffix(perTick)
        items.removeLast(due.count)
        return Array(due)
    }
}

internal import Concurrency

/// The clients that a drain still has to tell to come back.
struct Drain {
    private var clients: StaggeredQueue<Connection>
    private let done: Promise<Void>

    init(_ clients: [Connection], done: Promise<Void>) {
        self.clients = StaggeredQueue(clients)
        self.done = done
    }

    /// The clients to tell at this tick. Nil, and done, one tick after the last of them.
    mutating func next() -> [Connection]? {
        let due = clients.next()
        guard due.isEmpty else { return due }
        done.fulfil(())
        return nil
    }
}

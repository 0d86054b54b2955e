/// Accepted connections that wait for the places of others that are leaving.
struct AcceptQueue {
    /// A descriptor that nobody serves yet. Whoever takes it closes it.
    struct AcceptedSocket {
        let descriptor: Int32
        let peer: IPAddress?
    }

    private var waiting: [AcceptedSocket] = []
    /// How many connections have ended while their descriptors are still open.
    private var leaving = 0

    var isAwaitingClose: Bool { leaving > 0 }

    /// Lets a connection wait while another leaves: one turn later there may be a place for it. Returns false when none
    /// leaves, or too many wait.
    mutating func add(_ descriptor: Int32, from peer: IPAddress?) -> Bool {
        guard isAwaitingClose, waiting.count < LoopSettings.waitingLimit else { return false }
        waiting.append(AcceptedSocket(descriptor: descriptor, peer: peer))
        return true
    }

    /// A connection has ended, and its descriptor closes at the next turn.
    mutating func connectionEnded() {
        leaving += 1
    }

    /// Its descriptor is closed. Returns whether `takeReady` has something now.
    mutating func connectionClosed() -> Bool {
        leaving -= 1
        return !isAwaitingClose && !waiting.isEmpty
    }

    /// Takes the connections that wait, once all that had to leave are gone.
    mutating func takeReady() -> [AcceptedSocket] {
        guard !isAwaitingClose, !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}

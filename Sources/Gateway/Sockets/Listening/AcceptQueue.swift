public import HTTP

/// Accepted connections that wait for the places of others that are leaving.
public struct AcceptQueue {
    /// A descriptor that nobody serves yet. Whoever takes it closes it.
    public struct AcceptedSocket {
        public let descriptor: Int32
        public let peer: IPAddress?
    }

    /// Connections that may wait.
    private static let limit = 16

    private var waiting: [AcceptedSocket] = []
    /// How many connections have ended while their descriptors are still open.
    private var leaving = 0

    public init() {}

    /// Whether a connection has ended whose descriptor is still open.
    public var isAwaitingClose: Bool { leaving > 0 }

    /// Lets a connection wait while another leaves: one turn later there may be a place for it. Returns false when none
    /// leaves, or too many wait.
    public mutating func add(_ descriptor: Int32, from peer: IPAddress?) -> Bool {
        guard isAwaitingClose, waiting.count < AcceptQueue.limit else { return false }
        waiting.append(AcceptedSocket(descriptor: descriptor, peer: peer))
        return true
    }

    /// A connection has ended, and its descriptor closes at the end of the turn.
    public mutating func connectionEnded() {
        leaving += 1
    }

    /// Its descriptor is closed. Returns whether `takeReady` has something now.
    public mutating func connectionClosed() -> Bool {
        leaving -= 1
        return !isAwaitingClose && !waiting.isEmpty
    }

    /// Takes the connections that wait, once all that had to leave are gone.
    public mutating func takeReady() -> [AcceptedSocket] {
        guard !isAwaitingClose, !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}

public import Hub

/// What a route makes of a request.
public enum Answer: Sendable {
    case respond(Response)
    /// Transient messages for the pages of all loops, and the answer to their sender.
    case broadcast([Message], Response)
    /// Another thread answers: the closure hands it the reply, or returns false when it cannot.
    case later(@Sendable (Reply) -> Bool)
    /// A page stays connected.
    case open(PageRequest)
    /// A WebSocket becomes a connection that speaks Action Cable.
    case openCable(CableOpening)
}

/// The way back to one waiting connection, from any thread. Only the first `send` counts, and none once it is gone.
public struct Reply: Sendable {
    let port: LoopPort
    let connection: ConnectionID

    public func send(_ response: Response) {
        port.send(.reply(connection, response))
    }
}

/// Names a connection of one loop. No number is used twice.
struct ConnectionID: Hashable, Sendable {
    let number: UInt64
}

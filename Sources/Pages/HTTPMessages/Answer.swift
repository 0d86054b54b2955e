/// A route's answer to a request.
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
    private let deliver: @Sendable (Response) -> Void

    /// `deliver` is called at each `send`, on its thread.
    public init(deliver: @escaping @Sendable (Response) -> Void) {
        self.deliver = deliver
    }

    /// Hands the answer to the thread that the connection belongs to.
    public func send(_ response: Response) {
        deliver(response)
    }
}

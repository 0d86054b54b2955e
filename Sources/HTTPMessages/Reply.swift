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

/// The way back to one waiting connection, from any thread. Only the first `send` counts, and none once it is gone.
public struct Reply: Sendable {
    let port: LoopPort
    let connection: ConnectionID

    public func send(_ response: Response) {
        port.send(.reply(connection, response))
    }
}

/// What stands behind the sockets. Called on a loop's thread: it must not block.
public protocol RequestHandler: Sendable {
    func handle(_ request: Request) -> Answer

    /// Whether a cable client may follow a stream, and what it missed.
    func subscribe(_ request: CableRequest) -> CableVerdict
}

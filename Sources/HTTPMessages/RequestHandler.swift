public import Pages

/// Answers the requests of the socket loops. Called on a loop's thread, so it must not block.
public protocol RequestHandler: Sendable {
    func handle(_ request: Request) -> Answer

    /// Decides whether a cable client may follow a stream, and what it missed.
    func subscribe(_ request: CableRequest) -> CableVerdict
}

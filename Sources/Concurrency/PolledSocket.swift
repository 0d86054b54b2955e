/// A socket that a thread waits for: which operations it waits for, and whether one is ready.
public struct PolledSocket: Sendable {
    let descriptor: Int32
    let isRead: Bool
    let isWritten: Bool
    /// The socket can be read or written, whichever was requested, or the connection has failed.
    public internal(set) var isReady = false

    public init(_ descriptor: Int32, forReading isRead: Bool, forWriting isWritten: Bool) {
        self.descriptor = descriptor
        self.isRead = isRead
        self.isWritten = isWritten
    }
}

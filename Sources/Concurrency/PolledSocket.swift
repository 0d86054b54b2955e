/// What a thread waits for on one socket, and whether it has come.
public struct PolledSocket: Sendable {
    let descriptor: Int32
    let isRead: Bool
    let isWritten: Bool
    /// There is something to read, there is room to write (whichever was asked for), or the connection has failed.
    public internal(set) var isReady = false

    public init(_ descriptor: Int32, forReading isRead: Bool, forWriting isWritten: Bool) {
        self.descriptor = descriptor
        self.isRead = isRead
        self.isWritten = isWritten
    }
}

/// How a loop listens and paces itself.
struct LoopSettings: Sendable {
    /// Ends a cursor's text; the same for all loops.
    var epoch: String
    /// Nil speaks HTTP in the clear.
    var identity: ServerIdentity?
    /// For a handshake, and for a request's head after it.
    var patience: Duration

    static let tickMicroseconds: Int64 = 500_000
    /// A heartbeat every 15 s for each connection, at its own phase.
    static let heartbeatTicks = 30
    /// A reader that takes nothing for this long is closed; it resumes by cursor.
    static let writeDeadlineTicks = 60
}

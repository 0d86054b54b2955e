internal import Cable
internal import Runtime

/// What all loops of a gateway share.
struct LoopSettings: Sendable {
    /// Ends a cursor's text; the same for all loops.
    var epoch: String
    var clock: Clock
    var cable: CableLimits

    /// Ten times a second.
    static let tickMicroseconds: Int64 = 100_000
    static let ticksPerSecond = 10
    /// A heartbeat every 15 s for each page, at its own phase.
    static let heartbeatTicks = 150
    /// Action Cable's clients take a connection for dead after 6 s without a message.
    static let pingTicks = 30
    /// A reader that takes nothing for this long is closed; it resumes by cursor.
    static let writeDeadlineTicks = 300
    /// The same for a peer that vanished without a word.
    static let deadPeerSeconds: Int32 = 30
    /// How long a publisher may be silent.
    static let idleTicks = 600
    /// How long a WebSocket may take to answer a close frame.
    static let partingTicks = 20
    /// How long a drain takes at the most, so that not all pages come back at once.
    static let drainTicks = 30
}

/// How a loop listens and paces itself.
struct LoopSettings: Sendable {
    /// Ends a cursor's text; the same for all loops.
    var epoch: String
    var limits: Limits
    var proxies: TrustedProxies

    static let tickMicroseconds: Int64 = 500_000
    /// A heartbeat every 15 s for each connection, at its own phase.
    static let heartbeatTicks = 30
    /// Each connection that is no page is looked at once a second.
    static let watchTicks = 2

    /// A reader that takes nothing for this long is closed; it resumes by cursor.
    var writeDeadlineTicks: Int { LoopSettings.ticks(limits.writeSeconds) }

    static func ticks(_ seconds: Int) -> Int { seconds * 1_000_000 / Int(tickMicroseconds) }
}

internal import ActionCable
internal import Concurrency
internal import Domain

/// What all loops of a gateway share.
struct LoopSettings: Sendable {
    /// Ends a cursor's text; the same for all loops.
    var epoch: String
    var clock: Clock
    /// Whose webhooks have a route.
    var stores: Set<Provider>
    var limits: Limits
    var proxies: TrustedProxies

    var tick: Duration

    static let ticksPerSecond = 10
    /// A heartbeat every 15 s for each page, at its own phase.
    static let heartbeatTicks = 150
    /// Action Cable's clients take a connection for dead after 6 s without a message.
    static let pingTicks = 30
    /// Each connection that is no page is looked at once a second.
    static let watchTicks = 10
    /// A peer that vanished without a word is given up after as long.
    static let deadPeerSeconds: Int32 = 30
    /// How long a WebSocket may take to answer a close frame.
    static let partingTicks = 20
    /// From the connect on; a handshake that stalls holds 50 KB.
    static let handshakeSeconds = 10
    /// Answers that one connection is given before it has to come back: a balance of load, and a bound.
    static let requestLimit = 10_000
    /// Connections that may wait for the places of those that leave.
    static let waitingLimit = 16
    /// How long somebody is heard who may not have read our last word.
    static let lingerSeconds = 5
    /// How long a drain or a refresh of all pages takes at the most.
    static let spreadTicks = 30

    /// A reader that takes nothing for this long is closed; it resumes by cursor.
    var writeDeadlineTicks: Int { limits.writeSeconds * LoopSettings.ticksPerSecond }

    var cable: CableLimits {
        CableLimits(
            subscriptions: limits.subscriptions,
            commandsPerMinute: limits.commandsPerMinute,
            commandBytes: limits.frameBytes
        )
    }
}

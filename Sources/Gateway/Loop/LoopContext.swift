import Domain
import HTTP
import Pages
import Support

/// The state that the parts of one loop share.
final class LoopContext {
    /// What all loops of a gateway share.
    struct Shared: Sendable {
        let settings: LoopSettings
        let handler: any RequestHandler
        let metrics: GatewayMetrics
        let limiter: ConnectionLimiter
        let sessions: CableSessions
        let sentRefreshes: SentRefreshes
    }

    let shared: Shared
    let settings: LoopSettings
    let metrics: GatewayMetrics
    /// The port through which other threads reach this loop.
    let port: LoopPort
    let acceptor: Acceptor
    /// Ticks since the start.
    private(set) var now = 0
    /// The value of `Date` at this tick. Made once a second.
    private(set) var date = Clock().now().httpDate

    init(shared: Shared, port: LoopPort, acceptor: Acceptor) {
        self.shared = shared
        settings = shared.settings
        metrics = shared.metrics
        self.port = port
        self.acceptor = acceptor
    }

    func tick() {
        now += 1
        if now % LoopSettings.ticksPerSecond == 0 { date = Clock().now().httpDate }
    }

    var limits: Limits { settings.limits }
}

/// The settings that all loops of a gateway share.
struct LoopSettings: Sendable {
    /// The first part of a cursor's text; the same for all loops.
    var epoch: String
    var clock: Clock
    /// The stores that have routes.
    var stores: StoreRoutes
    var limits: Limits
    var proxies: TrustedProxies

    var tick: Duration

    static let ticksPerSecond = 10
    /// Each connection with a deadline is checked once a second.
    static let deadlineTicks = 10
    /// The time that a WebSocket may take to answer a close frame.
    static let closingHandshakeSeconds = 2
    /// Counted from the accept. A stalled handshake holds 50 KB.
    static let handshakeSeconds = 10
    /// Answers that one connection gets before it has to reconnect, to balance the load and to bound a connection.
    static let requestLimit = 10_000
    /// The time for which we keep reading from a peer that may not have read our last bytes.
    static let lingerSeconds = 5
    /// The longest time that a drain or a refresh of all pages takes.
    static let spreadTicks = 30

    /// A cable client that vanished silently is given up after this time: it knows after 6 s. An event stream never
    /// asks, so one that was given up while its phone had no network would stay open there, and silent; the kernel
    /// keeps it for a quarter of an hour. To the kernel, a reader that takes nothing has vanished too, so the deadline
    /// of slow readers comes first.
    var deadPeerSeconds: Int32 { Int32(clamping: max(30, limits.writeSeconds + 5)) }

    var cable: CableLimits {
        CableLimits(
            subscriptions: limits.subscriptions,
            commandsPerMinute: limits.commandsPerMinute,
            commandBytes: limits.messageBytes
        )
    }
}

internal import Domain
internal import HTTP
internal import Pages
internal import Support

/// The state that the parts of one loop share.
final class LoopContext {
    /// The same for all loops of a gateway.
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

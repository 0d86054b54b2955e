import Domain
public import Support

/// A Redis that an app publishes its broadcasts through: moves bytes, and does what `HeartbeatHealth` decides.
final class RedisSource: HeartbeatSource {
    private let settings: RedisSettings
    private let patience: Duration
    private let channels: RedisChannels
    let gap = BroadcastGap.beforeStart
    var detail: (name: String, value: String) { ("channels", channels.pattern) }
    var health: HeartbeatHealth
    private var session: RedisSession?

    init(_ settings: RedisSettings, timing: BroadcastTiming) {
        self.settings = settings
        patience = timing.patience
        channels = RedisChannels(RailsChannels(prefix: settings.prefix), token: .random(in: 0 ... .max))
        health = HeartbeatHealth(timing: timing, starting: .connecting, silent: .silent)
    }

    func connect(_ receiver: BroadcastReceiver) throws(BroadcastProblem) {
        session = try RedisSession(settings, channels: channels, patience: patience)
        health.connected(at: receiver.now)
    }

    func beat(_ number: Int) throws(BroadcastProblem) { try session?.beat(number) }

    func disconnect() { session = nil }

    func receive(_ receiver: BroadcastReceiver) {
        attempt(receiver) { () throws(BroadcastProblem) in try takeMessages(receiver) }
        act(receiver)
    }

    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver) {
        let isListening = receiver.hasRoom
        let hasMore = session?.hasMore(isListening: isListening) ?? false
        let sockets = session?.interests(isListening: isListening) ?? []
        let ready = bell.wait(timeout: hasMore ? .zero : timeout, or: sockets)
        attempt(receiver) { () throws(BroadcastProblem) in try session?.exchange(ready, isListening: isListening) }
        if !isListening { health.postpone(at: receiver.now) }
    }

    private func takeMessages(_ receiver: BroadcastReceiver) throws(BroadcastProblem) {
        guard let session else { return }
        while receiver.hasRoom, let event = try session.next() {
            switch event {
            case .subscribed: health.subscribed(at: receiver.now)
            case .heartbeat(let number): hear(number, receiver)
            case .message(let channel, let payload):
                health.postpone(at: receiver.now)
                receiver.take(payload, from: channel)
            }
        }
    }
}

extension BroadcastListener {
    /// Receives what a Rails app broadcasts through Redis, which keeps nothing for a listener that is away. Returns nil when
    /// the process has run out of descriptors.
    public convenience init?(
        redis settings: RedisSettings,
        timing: BroadcastTiming = .usual,
        log: Log,
        metrics: Metrics,
        submit: @escaping SubmitBroadcasts
    ) {
        self.init(
            BroadcastSourceName(
                name: "redis",
                place: "redis",
                address: "\(settings.url)",
                connected: "redis connected",
                lost: "redis lost",
                back: "redis is back",
                refused: "broadcasts of redis refused by the ledger"
            ),
            prefix: settings.prefix,
            patience: timing.ledgerPatience,
            log: log,
            counts: BroadcastCounts(metrics, .redis),
            submit: submit,
            makeSource: { RedisSource(settings, timing: timing) }
        )
    }
}

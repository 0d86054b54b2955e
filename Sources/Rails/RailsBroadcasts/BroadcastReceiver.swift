public import Domain
public import Support

/// Takes a source's broadcasts, and its reports about itself. Confined to the listener's thread.
public final class BroadcastReceiver {
    public let log: Log
    let source: BroadcastSourceName
    let delivery: BroadcastDelivery
    private let counts: BroadcastCounts
    private let heal: HealBroadcasts

    init(_ ports: ListenerPorts, heal: @escaping HealBroadcasts) {
        log = ports.log
        source = ports.source
        counts = ports.counts
        delivery = BroadcastDelivery(ports.broadcasts, channels: ports.channels, counts: ports.counts)
        self.heal = heal
    }

    public var now: Duration { .nanoseconds(Int64(clamping: monotonicNanoseconds())) }

    /// If false, leave new messages where they are.
    public var hasRoom: Bool { delivery.hasRoom }

    /// `payload` is nil when it was too long to be read.
    public func take(_ payload: [UInt8]?, from channel: [UInt8]) {
        delivery.take(payload, from: channel)
    }

    /// A broadcast of a source that knows its stream.
    public func take(_ payload: [UInt8], on stream: StreamName) {
        delivery.take(payload, on: stream)
    }

    /// Makes the pages of one stream reload, those too that return later with a cursor from before.
    public func reload(_ stream: StreamName) { delivery.reload(stream) }

    /// Makes up for a gap.
    public func healGap(_ gap: BroadcastGap) { heal(gap) }

    /// The source failed. `isNew` when an outage begins.
    public func lost(_ problem: some CustomStringConvertible & Sendable, isNew: Bool) {
        guard isNew else { return }
        counts.outages.add()
        log.warning(source.lost, fields: [source.place.key: source.place.address, "problem": problem])
    }

    /// Broadcasts arrive again, after this long.
    public func recovered(after outage: Duration) {
        log.info(
            source.back,
            fields: [source.place.key: source.place.address, "seconds": outage.components.seconds]
        )
    }

    func takeCommitments() {
        let refused = delivery.takeCommitments(at: now)
        guard refused > 0 else { return }
        log.error(source.refused, fields: ["count": refused])
        heal(.outage)
    }
}

/// The metrics that every listener has, each under its own name.
public struct BroadcastCounts: Sendable {
    let connected: Gauge
    let outages: Counter
    let messages: Counter
    let lost: Counter
    private let ignored: [RailsBroadcast.Refusal: Counter]

    public init(_ metrics: Metrics, _ names: BroadcastMetrics) {
        connected = metrics.gauge(names.connected)
        outages = metrics.counter(names.outages)
        messages = metrics.counter(names.messages)
        lost = metrics.counter(names.lost)
        let reasons = RailsBroadcast.Refusal.allCases.map { reason in
            (reason, metrics.counter(names.ignored, labels: ["reason": reason.rawValue]))
        }
        ignored = Dictionary(uniqueKeysWithValues: reasons)
    }

    func ignore(_ reason: RailsBroadcast.Refusal) {
        ignored[reason]?.add()
    }
}

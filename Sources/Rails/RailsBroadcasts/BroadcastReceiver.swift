import Domain
import Support
import Synchronization

/// The listener's thread: brings what a source receives to the ledger, as `BroadcastQueue` decides. Confined to it.
final class BroadcastReceiver {
    let log: Log
    private let listener: BroadcastListener
    private let heal: HealBroadcasts
    private var queue = BroadcastQueue()
    /// Whether the loops write as fast as is published, at the beginning of this turn.
    private var pagesKeepUp = true
    /// Until they are asked again.
    private static let pause = Duration.milliseconds(10)
    private var losses = Repetition()
    var source: BroadcastSourceName { listener.source }

    init(_ listener: BroadcastListener, heal: @escaping HealBroadcasts) {
        self.listener = listener
        self.heal = heal
        log = listener.log
    }

    var now: MonotonicTime { monotonicNanoseconds() }

    /// Returns when the mailbox has been closed. Nobody else holds the source, so that its connection ends with its turn.
    func run(
        _ makeSource: () -> any BroadcastSource,
        takesOver: () -> Bool,
        pagesKeepUp: () -> Bool
    ) {
        var source = makeSource()
        while !listener.mailbox.isClosed {
            self.pagesKeepUp = pagesKeepUp()
            takeCommitments()
            if takesOver() {
                queue.drop()
                source.startOver(self)
            }
            source.receive(self)
            if let successor = source.successor {
                source = successor
                source.receive(self)
            }
            submit()
            publish(source.problem, warning: source.warning)
            let next = min(source.next, queue.retry ?? .max)
            // Round up: a poll that ends too early would only be repeated.
            let timeout = now.duration(to: next) + .milliseconds(1)
            let pause = self.pagesKeepUp ? timeout : min(timeout, BroadcastReceiver.pause)
            source.wait(for: listener.bell, timeout: pause, receiver: self)
        }
        let rest = queue.rest()
        if !rest.isEmpty { _ = listener.submit(rest) { _ in } }
    }

    private func submit() {
        let now = now
        guard pagesKeepUp, let batch = queue.next(at: now) else { return }
        let mailbox = listener.mailbox
        if !listener.submit(batch, { mailbox.send($0) }) { queue.refused(at: now) }
    }

    /// Broadcasts that the ledger will never take leave a gap.
    private func takeCommitments() {
        var refused = 0
        for commitment in listener.mailbox.drain() {
            switch commitment {
            case .committed: queue.committed()
            case .busy: queue.refused(at: now)
            case .refused: refused += queue.discard()
            }
        }
        guard refused > 0 else { return }
        listener.counts.lost.add(refused)
        log.error(source.refused, fields: ["count": refused])
        heal(.outage)
    }

    private func publish(_ problem: String?, warning: String?) {
        let isStuck = queue.refusedSince.map { now > $0 + listener.patience } ?? false
        listener.counts.connected.set(problem == nil ? 1 : 0)
        let stuck = "broadcasts are waiting, because the ledger does not accept them; see what is wrong with it"
        listener.state.withLock { $0 = (problem ?? (isStuck ? stuck : nil), warning) }
    }
}

/// What a source reports.
extension BroadcastReceiver {
    /// If false, leave new messages where they are.
    var hasRoom: Bool { pagesKeepUp && queue.hasRoom }

    /// `payload` is nil when it was too long to be read.
    func take(_ payload: [UInt8]?, from channel: [UInt8]) {
        guard let stream = listener.channels.stream(of: channel) else { return listener.counts.ignore(.channel) }
        guard let payload else { return refuse(.size, on: stream) }
        take(payload, on: stream)
    }

    /// A broadcast of a source that knows its stream.
    func take(_ payload: [UInt8], on stream: StreamName) {
        do throws(RailsBroadcast.Refusal) {
            queue.add(try RailsBroadcast.fragment(on: stream, payload: payload), bytes: payload.count)
            listener.counts.messages.add()
        } catch {
            refuse(error, on: stream)
        }
    }

    /// What pages miss of the app's broadcasts, only the app's own server can show them.
    private func refuse(_ reason: RailsBroadcast.Refusal, on stream: StreamName) {
        listener.counts.ignore(reason)
        guard reason.isLoss else { return }
        reload(stream)
        guard let count = losses.add(now: now) else { return }
        log.warning(
            "broadcasts of the app cannot be sent, so their pages reload",
            fields: [source.place: source.address, "count": count, "reason": reason.rawValue, "stream": stream]
        )
    }

    /// Makes the pages of one stream reload, those too that return later with a cursor from before.
    func reload(_ stream: StreamName) {
        queue.add(Fragment(stream: stream, action: "refresh", content: .none), bytes: 0)
    }

    /// Makes up for a gap.
    func healGap(_ gap: BroadcastGap) { heal(gap) }

    /// When broadcasts arrive for the first time, the log tells `detail`.
    func report(_ news: Incident.News?, _ detail: (name: String, value: String)) {
        switch news {
        case .works: log.info(source.connected, fields: [source.place: source.address, detail.name: detail.value])
        case .began(let problem):
            listener.counts.outages.add()
            log.warning(source.lost, fields: [source.place: source.address, "problem": problem])
        case .ended(_, let seconds):
            log.info(source.back, fields: [source.place: source.address, "seconds": seconds])
        case nil: break
        }
    }
}

/// The metrics that every listener has, each under its own name.
struct BroadcastCounts: Sendable {
    let connected: Gauge
    let outages, messages, lost: Counter
    private let ignored: [RailsBroadcast.Refusal: Counter]

    init(_ metrics: Metrics, _ names: BroadcastMetrics) {
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

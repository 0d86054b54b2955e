public import Domain
internal import HTTPClient
public import Ledger
public import Runtime
public import Stores
internal import Synchronization

/// The thread that does what is to be done after a commit: stores are told, other servers are forwarded to. It asks the
/// ledger once a second, so that nothing depends on being woken.
public final class ErrandRunner: Sendable {
    private static let roundSize = 100

    private let reader: LedgerReader
    private let writer: LedgerWriter
    private let apis: [Provider: any StoreAPI]
    private let forwarder = Forwarder()
    private let clock: Clock
    private let log: Log
    private let stop = Routine.Stop()
    private let routine: Routine
    private let alarm = Mutex(ErrandAlarm())
    private let abandoned: Counter

    public init(
        reader: LedgerReader,
        writer: LedgerWriter,
        apis: [Provider: any StoreAPI],
        clock: Clock,
        log: Log,
        metrics: Metrics
    ) {
        (self.reader, self.writer, self.apis, self.clock, self.log) = (reader, writer, apis, clock, log)
        routine = Routine(stop)
        abandoned = metrics.counter(
            "paycast_errands_abandoned_total",
            "What stores and staging servers could not be told, since this server's start."
        )
        let alarm: @Sendable () -> ErrandAlarm = { [weak self] in self?.alarm.withLock { $0 } ?? ErrandAlarm() }
        metrics.gauge("paycast_errands_waiting", "What stores and staging servers are still to be told.") {
            alarm().backlog.waiting
        }
        metrics.gauge(
            "paycast_errand_nearest_deadline_seconds",
            "Time left for the most urgent one; \(ErrandAlarm.never) when none has a deadline."
        ) { alarm().secondsLeft(at: clock.now()) }
    }

    public func start() {
        routine.start("errands", ErrandRound()) { [self] round in turn(&round) }
    }

    /// Begins nothing new.
    public func halt() {
        routine.halt()
    }

    /// Waits for the attempt that runs: before the ledger is closed.
    public func close() {
        routine.end()
    }

    /// For `/ready`.
    public var problems: [String] { alarm.withLock { $0.problems } }

    private func turn(_ round: inout ErrandRound) -> Duration {
        let now = clock.now()
        let known = alarm.withLock { $0.backlog }
        guard let backlog = answer({ reader.errandBacklog(after: known, completion: $0) }) else { return .seconds(1) }
        watch(backlog, now)
        guard let next = backlog.next, next <= now,
            let due = answer({ reader.errands(dueAt: now, limit: ErrandRunner.roundSize, completion: $0) })
        else { return .seconds(1) }
        let fresh = round.begin(due, now: now)
        for errand in fresh where !stop.isRaised { attempt(errand, &round) }
        return fresh.count == ErrandRunner.roundSize ? .zero : .seconds(1)
    }

    private func watch(_ backlog: ErrandBacklog, _ now: Instant) {
        let new = alarm.withLock { alarm in
            let before = alarm.problems
            (alarm.backlog, alarm.now) = (backlog, now)
            return alarm.problems.filter { !before.contains($0) }
        }
        for problem in new { log.error("errand urgent", ["problem": problem]) }
    }

    private func attempt(_ queued: QueuedErrand, _ round: inout ErrandRound) {
        let now = clock.now()
        let verdict = ErrandVerdict(errand: queued, now: now, jitter: .random(in: 0..<1))
        if let obstacle = round.obstacle(to: queued, now: now) {
            return report(queued, verdict.postponed(because: obstacle))
        }
        do throws(StoreAPIError) {
            try perform(queued, now)
            report(queued, .done)
        } catch {
            round.failed(queued, error)
            report(queued, verdict.result(of: error))
        }
    }

    private func perform(_ queued: QueuedErrand, _ now: Instant) throws(StoreAPIError) {
        let errand = queued.errand
        if errand.kind == .forward {
            return try forwarder.post(queued.body ?? [], to: errand.subject, now: now)
        }
        guard let api = apis[errand.provider] else {
            throw .unauthorized(reason: "no key of its API is configured")
        }
        try api.perform(errand, now: now)
    }

    /// Nothing of the errand's subject goes to the log: it may be a purchase token, or an address with a secret.
    private func report(_ queued: QueuedErrand, _ result: ErrandResult) {
        // A full queue: it is tried again, and every errand bears that.
        guard writer.submit(.errand(queued.id, result)) else { return }
        let errand = queued.errand
        switch result {
        case .done: alarm.withLock { $0.settle() }
        case .retry(let at, let reason) where queued.attempts < 3:
            log.info(
                "errand postponed",
                ["kind": errand.kind.rawValue, "until": at.iso8601, "reason": reason]
            )
        case .retry(let at, let reason):
            log.warning(
                "errand fails again and again",
                ["kind": errand.kind.rawValue, "attempts": queued.attempts + 1, "until": at.iso8601, "reason": reason]
            )
        case .abandoned(let reason):
            abandoned.add()
            alarm.withLock { alarm in
                alarm.settle()
                if errand.kind == .acknowledge || errand.kind == .consume { alarm.unacknowledged += 1 }
            }
            log.error(
                "errand abandoned",
                ["kind": errand.kind.rawValue, "provider": errand.provider.rawValue, "reason": reason]
            )
        }
    }
}

import Domain
import HTTPClient
import Ledger
import Stores
import Support
import Synchronization

/// Performs jobs after their commit: it tells stores, and forwards to other servers.
///
/// One thread asks the ledger once a second which destinations have jobs due, so that nothing depends on being
/// woken. Other threads perform them: each store has one, and staging servers share a few, so that a destination that
/// does not answer holds up no other.
final class JobRunner: BackgroundWork {
    private static let roundSize = 100
    /// The number of staging servers that may hang before a good one has to wait for one of them.
    private static let forwarders = 4
    /// The number of destinations that a pool's queue holds. There are only a handful, and none is queued twice.
    private static let capacity = 1000

    private let context: WorkContext
    private let apis: StoreAPIs
    private let forwarder = Forwarder()
    let routine = Routine()
    private let stores: WorkerPool
    private let forwards: WorkerPool
    private let lanes = Mutex(JobLanes())
    private let alarm = Mutex(JobAlarm())
    private let abandoned: Counter

    init(_ context: WorkContext, apis: @escaping StoreAPIs, metrics: Metrics) {
        self.context = context
        self.apis = apis
        // A store without an API needs no thread: its jobs fail without a request.
        stores = WorkerPool(name: "jobs", threads: apis().count, capacity: JobRunner.capacity)
        forwards = WorkerPool(name: "forwards", threads: JobRunner.forwarders, capacity: JobRunner.capacity)
        abandoned = metrics.counter(.jobsAbandoned)
        let alarm: @Sendable () -> JobAlarm = { [weak self] in self?.alarm.withLock { $0 } ?? JobAlarm() }
        metrics.gauge(.jobsWaiting) { alarm().backlog.waiting }
        metrics.gauge(.nearestDeadline) { alarm().secondsLeft(at: context.clock.now()) }
    }

    var pools: [WorkerPool] { [stores, forwards] }

    func start() {
        routine.start("jobs", state: ()) { [self] _ in
            turn()
            return .seconds(1)
        }
    }

    /// For `/ready`.
    var problems: [String] { alarm.withLock { $0.problems } }

    private func turn() {
        guard context.leaderLease.isHeld else { return alarm.withLock { $0 = JobAlarm() } }
        let now = context.clock.now()
        let known = alarm.withLock { $0.takeCount() }
        guard let backlog = try? context.reader.answer({ try $0.jobBacklog(after: known) }) else {
            return alarm.withLock { $0.isCounted = false }
        }
        watch(backlog, now: now)
        guard !context.hold.isHeld, let next = backlog.next, next <= now,
            let due = try? context.reader.answer({ try $0.jobDestinations(dueAt: now) })
        else { return }
        for destination in lanes.withLock({ $0.begin(due, now: now) }) {
            let pool = if case .address = destination { forwards } else { stores }
            let isTaken = pool.submit { [self] in runJobs(for: destination) }
            if !isTaken { lanes.withLock { $0.end(destination, isCommitted: true, now: now) } }
        }
    }

    /// Runs on a thread of a pool.
    private func runJobs(for destination: Job.Destination) {
        guard !routine.isHalted else { return }
        let now = context.clock.now()
        let limit = JobRunner.roundSize
        let due = (try? context.reader.answer { try $0.jobs(dueAt: now, to: destination, limit: limit) }) ?? []
        var round = JobRound()
        var isCommitted = true
        for job in due where isCommitted && !routine.isHalted {
            guard let lease = context.leaderLease.lease else { break }
            isCommitted = attempt(job, under: lease, in: &round)
        }
        lanes.withLock { $0.end(destination, isCommitted: isCommitted, now: context.clock.now()) }
        // There may be more, but destinations that wait for a thread come first.
        if due.count == limit { routine.wake() }
    }

    private func watch(_ backlog: JobBacklog, now: Instant) {
        let new = alarm.withLock { alarm in
            let before = alarm.problems
            alarm.backlog = backlog
            alarm.now = now
            return alarm.problems.filter { !before.contains($0) }
        }
        for problem in new { context.log.error("job urgent", fields: ["problem": problem]) }
    }

    /// Returns false if the ledger does not accept the result. The job is then tried again; repeating it is always
    /// safe.
    private func attempt(_ queued: QueuedJob, under lease: Lease, in round: inout JobRound) -> Bool {
        let now = context.clock.now()
        let verdict = RetryDecision(job: queued, now: now, jitter: .random(in: 0..<1))
        let result: JobResult
        if let end = verdict.resultWithoutTrying {
            result = end
        } else if let obstacle = round.obstacle(to: queued) {
            result = verdict.result(of: obstacle)
        } else {
            do throws(StoreAPIError) {
                try perform(queued, under: lease, now: now)
                result = queued.job.kind == .consumption ? .doneAndKept : .done
            } catch {
                round.failed(queued, error: error)
                result = verdict.result(of: error)
            }
        }
        let isCommitted = context.writer.hasCommitted(under: lease) { .job(queued.id, result, completion: $0) }
        guard isCommitted else { return false }
        report(queued, result: result)
        return true
    }

    private func perform(_ queued: QueuedJob, under lease: Lease, now: Instant) throws(StoreAPIError) {
        let job = queued.job
        if job.kind == .forward {
            guard let body = queued.body else { throw .unreadable(reason: "the ledger cannot read its body") }
            return try forwarder.post(body, to: job.subject, now: now)
        }
        guard let api = apis()[job.provider] else {
            throw .unauthorized(reason: "no key of its API is configured")
        }
        for event in try api.perform(job, now: now) {
            guard context.writer.commit(event, at: now, under: lease) != nil else { throw .ledgerBusy }
        }
    }

    /// The job's subject never goes to the log: it may be a purchase token, or an address with a secret.
    private func report(_ queued: QueuedJob, result: JobResult) {
        let job = queued.job
        switch result {
        case .done, .doneAndKept: alarm.withLock { $0.isCounted = false }
        case .retry(let at, let reason) where queued.attempts < 3:
            context.log.info(
                "job postponed",
                fields: ["kind": job.kind.rawValue, "until": at.iso8601, "reason": reason]
            )
        case .retry(let at, let reason):
            context.log.warning(
                "job fails again and again",
                fields: [
                    "kind": job.kind.rawValue, "attempts": queued.attempts + 1, "until": at.iso8601, "reason": reason,
                ]
            )
        case .abandoned(let reason):
            context.log.error(
                "job abandoned",
                fields: ["kind": job.kind.rawValue, "provider": job.provider.rawValue, "reason": reason]
            )
            alarm.withLock { alarm in
                alarm.isCounted = false
                if job.kind == .acknowledge || job.kind == .consume { alarm.unacknowledged += 1 }
            }
            // Last: who sees the count finds the reason in the log.
            abandoned.add()
        }
    }
}

/// The destinations that are being served: one job at a time for each, and several destinations at once. Pure.
struct JobLanes {
    /// Without a pause, a job whose result the ledger does not accept would be repeated every second.
    private static let rest = Duration.seconds(10)

    private var busy: Set<Job.Destination> = []
    private var resting: [Job.Destination: Instant] = [:]

    /// The destinations of `due` that no thread serves yet. From now on they are busy.
    mutating func begin(_ due: [Job.Destination], now: Instant) -> [Job.Destination] {
        // A clock that was set back must not make the pause longer.
        resting = resting.filter { _, end in now < end && end <= now + JobLanes.rest }
        return due.filter { resting[$0] == nil && busy.insert($0).inserted }
    }

    /// `isCommitted` is true if the ledger has accepted the results.
    mutating func end(_ destination: Job.Destination, isCommitted: Bool, now: Instant) {
        busy.remove(destination)
        if !isCommitted { resting[destination] = now + JobLanes.rest }
    }
}

/// One pass over a destination's jobs. A store that has just failed to answer for an app is left alone for the rest
/// of the round, so a store that is down costs one timeout, not one for each job. Pure.
struct JobRound {
    private var resting: [String: StoreAPIError] = [:]

    /// The error for which this job has to wait; nil if it may be tried now.
    func obstacle(to queued: QueuedJob) -> StoreAPIError? {
        resting[queued.job.rest]
    }

    mutating func failed(_ queued: QueuedJob, error: StoreAPIError) {
        if error.concernsTheWholeStore { resting[queued.job.rest] = error }
    }
}

extension Job {
    /// The scope of a failure at one destination: a store may refuse one app's key and accept another's.
    fileprivate var rest: String { kind == .forward ? "" : app }
}

/// Decides when an operator has to be told about jobs. Pure.
struct JobAlarm: Equatable {
    /// Google refunds what is not acknowledged within three days. The margin leaves a day to help.
    static let margin = Duration.seconds(86_400)
    /// The value that stands for no waiting job with a deadline.
    static let never = 999_999_999

    var backlog = JobBacklog()
    /// True if no job has finished since the waiting jobs were counted.
    var isCounted = true
    /// The number of acknowledgments that were abandoned since the start.
    var unacknowledged = 0
    var now = Instant(milliseconds: 0)

    /// The last count, or nil if a new one is needed. A job that finishes from now on outdates the count again.
    mutating func takeCount() -> JobBacklog? {
        defer { isCounted = true }
        return isCounted ? backlog : nil
    }

    func secondsLeft(at now: Instant) -> Int {
        backlog.nearestDeadline.map { Int($0.elapsed(since: now).components.seconds) } ?? JobAlarm.never
    }

    /// For `/ready`. The sentences do not change from second to second.
    var problems: [String] {
        var problems: [String] = []
        if let deadline = backlog.nearestDeadline, deadline < now + JobAlarm.margin {
            let date = deadline.iso8601
            problems.append("a purchase must be acknowledged by \(date), or the store refunds it; see the log")
        }
        if unacknowledged > 0 {
            problems.append("\(unacknowledged) purchases could not be acknowledged and are refunded; see the log")
        }
        return problems
    }
}

/// Decides what happens to a job after a failed attempt. Pure.
struct RetryDecision {
    private static let backoff = Backoff(first: .seconds(1), most: .seconds(3600))

    /// The time for which a job without a deadline is tried.
    static func patience(for kind: Job.Kind) -> Duration {
        switch kind {
        case .forward: .seconds(3 * 86_400)
        case .acknowledge, .consume, .finish, .setToken, .ask, .refundRequest, .consumption: .seconds(30 * 86_400)
        }
    }

    var job: QueuedJob
    var now: Instant
    var jitter: Double

    /// `error` may be that of another job, because of which this one is not tried.
    func result(of error: StoreAPIError) -> JobResult {
        let reason = error.description(of: job.job)
        guard !error.isFinal else { return .abandoned(reason: reason) }
        guard now < end else { return .abandoned(reason: "its time is up; the last failure: \(reason)") }
        return .retry(at: comeback(after: error), reason: reason)
    }

    /// What becomes of a job that is not tried: nobody has answered the store in time, or the store would not read the answer any more.
    /// Other jobs are tried after their deadline too: what comes late does no harm.
    var resultWithoutTrying: JobResult? {
        switch job.job.kind {
        case .refundRequest: .done
        case .consumption where now >= end: .abandoned(reason: "its time is up")
        default: nil
        }
    }

    private var end: Instant {
        job.job.deadline ?? job.queuedAt + RetryDecision.patience(for: job.job.kind)
    }

    private func comeback(after error: StoreAPIError) -> Instant {
        let next = now + RetryDecision.backoff.delay(after: job.attempts + 1, jitter: jitter)
        guard case .unavailable(_, let after?) = error else { return next }
        return max(next, min(after, now + RetryDecision.backoff.most))
    }
}

extension StoreAPIError {
    /// True if the answer will never change. Other errors may pass: a key can be corrected, and something that cannot
    /// be read today may be readable tomorrow.
    var isFinal: Bool {
        if case .refused = self { true } else { false }
    }
}

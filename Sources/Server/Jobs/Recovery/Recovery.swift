import Domain
import Ledger
import Stores
import Support
import Synchronization

/// Asks a store for its history, at the start and once an hour, and commits what no webhook brought. It uses the same
/// ledger command as a webhook, so that a notification counts once, however it arrives.
final class Recovery: BackgroundWork {
    /// What is read, and what proves the store's webhooks.
    typealias Source = (history: HistorySource, verifier: any StoreVerifier)

    let provider: Provider
    private let first: Source
    /// With the settings of the last reload, which may bring another key.
    private let current: @Sendable () -> Source?
    private let context: WorkContext
    private let counts: RecoveryCounts
    /// Keyed by checkpoint.
    private let troubles = Mutex<[String: HistoryTrouble]>([:])
    let routine = Routine()

    /// Nil without a history.
    init?(
        of provider: Provider,
        context: WorkContext,
        counts: RecoveryCounts,
        current: @escaping @Sendable () -> Source?
    ) {
        guard let first = current() else { return nil }
        (self.provider, self.first, self.current) = (provider, first, current)
        (self.context, self.counts) = (context, counts)
    }

    var history: HistorySource { first.history }
    private var verifier: any StoreVerifier { (current() ?? first).verifier }

    /// Runs on a thread of its own: now, then once an hour, and sooner after a failure.
    func start() {
        routine.start(history.words.thread, state: RecoverySchedule()) { [self] schedule in
            guard let lease = context.leaderLease.lease else {
                schedule = RecoverySchedule()
                return .seconds(1)
            }
            let report = recover(RecoveryRun(onlyFailures: schedule.onlyFailures, lease: lease)) { _ in }
            return schedule.pause(afterFailure: !report.problems.isEmpty, jitter: .random(in: 0..<1))
        }
    }

    /// For `/ready`. Only the leader's.
    var problems: [String] {
        guard context.leaderLease.isHeld else { return [] }
        return troubles.withLock { troubles in history.lists.flatMap { troubles[$0.key]?.problems ?? [] } }
    }

    /// If `since` is nil, begins at the last success. `progress` runs after each page, on the caller's thread. Blocks.
    func recover(
        since: Instant?,
        progress: (RecoveryReport) -> Void = { _ in }
    ) -> RecoveryReport {
        recover(RecoveryRun(since: since), progress: progress)
    }

    /// Asked between the steps of a run. False once it has to end, which is never the store's fault: whoever has lost the
    /// lease leaves the rest to the node that has it.
    private func goesOn(_ run: RecoveryRun) -> Bool {
        if run.ending == nil, routine.isHalted { run.ending = "this server is shutting down" }
        if run.ending == nil, run.lease != nil, run.lease != context.leaderLease.lease {
            run.ending = "another node leads"
        }
        return run.ending == nil
    }

    private func recover(_ run: RecoveryRun, progress: (RecoveryReport) -> Void) -> RecoveryReport {
        var isRead = false
        for known in history.lists where goesOn(run) {
            let list = current()?.history.lists.first { $0.key == known.key } ?? known
            do throws(StoreAPIError) {
                try read(list, run, progress: progress)
                guard run.ending == nil else { break }
                isRead = true
                note(nil, of: list)
            } catch {
                guard goesOn(run) else { break }
                run.report.problems.append("\(list.name): \(error.description)")
                note(error, of: list)
            }
        }
        if let ending = run.ending { run.report.problems.append(ending) }
        run.report.isInterrupted = run.ending != nil
        run.report.isFailure = !isRead && !(history.asksForEntries && run.report.found > 0)
        let report = run.report
        if report.problems.isEmpty { counts.succeeded[provider]?.set(Int(Clock().now().seconds)) }
        counts.recovered.add(report.recovered)
        if report.found > 0 {
            context.log.info(
                history.words.read,
                fields: ["found": report.found, "recovered": report.recovered, "refused": report.refused]
            )
        }
        return report
    }
}

/// One run, on one thread.
final class RecoveryRun {
    /// Nil means since the last success, which is then recorded again.
    let since: Instant?
    let onlyFailures: Bool
    /// Nil if an operator asked this node for it.
    let lease: Lease?
    /// Why it has ended before everything was read. It stays: a lease that is renewed meanwhile would hide what was left out.
    var ending: String?
    var report = RecoveryReport()

    init(since: Instant? = nil, onlyFailures: Bool = false, lease: Lease? = nil) {
        self.since = since
        self.onlyFailures = onlyFailures
        self.lease = lease
    }

    var isMarking: Bool { since == nil }
}

/// Decides when to ask for the history, from which time on, and whether for all of it. Pure.
struct RecoverySchedule {
    static let interval = Duration.seconds(3600)
    /// Covers events that the store was still trying to deliver, or had not recorded yet, at the last run.
    static let overlap = Duration.seconds(7200)
    /// On the first start there is no last run; a day covers the setup.
    static let firstReach = Duration.seconds(86_400)

    private var backoff = Backoff(first: .seconds(30), most: RecoverySchedule.interval)
    /// The first run asks for everything, because a ledger restored from a backup lacks what the store had delivered to
    /// it. Later runs ask only for what was not delivered. After a failure, the next run asks for everything again:
    /// only beside delivered entries can it be seen whether the settings refuse everything or one entry is odd.
    private(set) var onlyFailures = false

    static func start(mark: Instant?, now: Instant) -> Instant {
        guard let mark else { return now - firstReach }
        // A clock that was set back must not make the span empty.
        return min(mark, now) - overlap
    }

    /// The time to wait until the next run.
    mutating func pause(afterFailure isFailure: Bool, jitter: Double) -> Duration {
        onlyFailures = !isFailure
        guard isFailure else {
            backoff.reset()
            return RecoverySchedule.interval
        }
        return backoff.failed(jitter: jitter)
    }
}

/// The metrics of recoveries.
struct RecoveryCounts: Sendable {
    let recovered: Counter
    let refused: Counter
    let succeeded: [Provider: Gauge]

    /// `providers` are the stores whose history is read.
    init(_ metrics: Metrics, of providers: [Provider]) {
        recovered = metrics.counter(.recovered)
        refused = metrics.counter(.recoveryRefused)
        succeeded = Dictionary(
            uniqueKeysWithValues: providers.map { provider in
                (provider, metrics.gauge(.recoverySucceeded, labels: ["provider": provider.rawValue]))
            }
        )
    }
}

/// One list of the history.
extension Recovery {
    private func read(
        _ list: HistoryList,
        _ run: RecoveryRun,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        let now = context.clock.now()
        let mark = try? context.reader.answer { try $0.checkpoint(list.key) }
        let start = run.since ?? RecoverySchedule.start(mark: mark, now: now)
        var reading = HistoryReading(list, from: start, to: now, onlyFailures: run.onlyFailures)
        var batch = HistoryBatch()
        defer { note(batch, of: list) }
        try read(&reading, of: list, batch: &batch, in: run, progress: progress)
        guard run.ending == nil else { return }
        if let failure = batch.failure { throw failure }
        let problem = batch.problem
        if let problem { run.report.problems.append(problem) }
        guard run.isMarking else { return }
        // The first time, there is no checkpoint to keep: without one, the next start would begin only a day before
        // itself.
        if problem != nil, mark == nil { remember(start, of: list, in: run) }
        // A list of failed deliveries may hold nothing genuine, because genuine ones were delivered. So it proves no
        // problem, and the next run asks for everything.
        if problem == nil || !run.onlyFailures {
            troubles.withLock { $0[list.key, default: HistoryTrouble()].misconfiguration = problem }
        }
    }

    private func read(
        _ reading: inout HistoryReading,
        of list: HistoryList,
        batch: inout HistoryBatch,
        in run: RecoveryRun,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        let rest = Waker()
        while !batch.isHopeless, let entries = try reading.next(now: context.clock.now()) {
            guard goesOn(run) else { return }
            run.report.found += entries.count
            try commit(entries, of: list, in: run, batch: &batch)
            progress(run.report)
            guard run.ending == nil else { return }
            if run.isMarking, batch.isSound, let reached = reading.takeProgress() {
                remember(reached, of: list, in: run)
            }
            if reading.span.piece != nil { rest.wait(timeout: list.pause) }
        }
        if let lost = reading.span.lost, let words = history.words.lost {
            context.log.info(
                words,
                fields: ["environment": list.environment?.rawValue ?? "-", "until": lost.end.iso8601]
            )
        }
    }

    /// Records how far the reading has come. Returns when that is committed, or cannot be.
    private func remember(_ instant: Instant, of list: HistoryList, in run: RecoveryRun) {
        context.writer.hasCommitted(under: run.lease) { .saveCheckpoint(list.key, instant, completion: $0) }
    }

    /// Returns early when the run has to end.
    private func commit(
        _ entries: [HistoryEntry],
        of list: HistoryList,
        in run: RecoveryRun,
        batch: inout HistoryBatch
    ) throws(StoreAPIError) {
        let known = known(entries.compactMap(\.event))
        for entry in entries where goesOn(run) {
            if let event = entry.event, known.contains(event) {
                run.report.outcomes[.duplicate, default: 0] += 1
                continue
            }
            do throws(HistoryError) {
                run.report.outcomes[try commit(entry, in: run), default: 0] += 1
                batch.read()
            } catch {
                if try batch.failed(error, hint: list.hint(error)) { run.report.refused += 1 }
            }
        }
    }

    private func commit(_ entry: HistoryEntry, in run: RecoveryRun) throws(HistoryError) -> Outcome {
        let now = context.clock.now()
        let event = try entry.read(verifier, now)
        guard let result = context.writer.commit(event, at: now, under: run.lease) else { throw .unread(.ledgerBusy) }
        return result.outcome
    }

    /// The events that took effect, which need not be read again. Events of two environments may share an id.
    private func known(_ events: [String]) -> Set<String> {
        guard !events.isEmpty else { return [] }
        let selection = EventSelection(ids: Set(events).sorted())
        let found = (try? context.reader.answer { try $0.events(selection, limit: events.count) }) ?? []
        return Set(found.filter { $0.provider == provider }.map(\.id))
    }
}

/// Log lines about a list.
extension Recovery {
    private func note(_ batch: HistoryBatch, of list: HistoryList) {
        counts.refused.add(batch.misconfigured)
        for (code, count) in batch.refusals.sorted(by: { $0.key < $1.key }) {
            context.log.warning(
                "history entries refused",
                fields: [
                    "environment": list.environment?.rawValue ?? "-", "app": list.app, "reason": code, "count": count,
                ]
            )
        }
    }

    /// `error` is nil after a run that read the list.
    private func note(_ error: StoreAPIError?, of list: HistoryList) {
        let hint = error.flatMap { list.hint(.unread($0)) }
        let now = monotonicNanoseconds()
        let news = troubles.withLock { $0[list.key, default: HistoryTrouble()].take(error, hint: hint, now: now) }
        switch (news, history.words.readAgain) {
        case (.ended(let count, let seconds), let words?):
            context.log.info(words, fields: ["app": list.app, "count": count, "seconds": seconds])
        case (.began(let reason), _?): warn(reason, of: list)
        case (_, nil): if let error { warn(error.description, of: list) }
        case (.works, _?), (nil, _?): break
        }
    }

    private func warn(_ reason: String, of list: HistoryList) {
        context.log.warning(
            history.words.unread,
            fields: list.environment.map { ["environment": $0.rawValue, "app": list.app, "reason": reason] }
                ?? ["app": list.app, "reason": reason]
        )
    }
}

extension HistoryList {
    /// For problems: `Production, com.example`.
    var name: String { environment.map { "\($0.rawValue), \(app)" } ?? app }
}

public import Domain
import Ledger
public import Stores
import Support
import Synchronization

/// Asks a store for its history, at the start and once an hour, and commits what no webhook brought. It uses the same
/// ledger command as a webhook, so that a notification counts once, however it arrives.
public final class Recovery: Sendable {
    let provider: Provider
    let history: HistorySource
    /// Called for each list, because a reload may bring another key.
    private let current: @Sendable () -> HistorySource?
    let verifier: any StoreVerifier
    let context: WorkContext
    let counts: RecoveryCounts
    /// Keyed by checkpoint.
    let troubles = Mutex<[String: HistoryTrouble]>([:])
    private let routine = Routine(Routine.Stop())

    /// `current` is the history with the settings of the last reload; `verifier` proves the store's webhooks.
    public init(
        of provider: Provider,
        history: HistorySource,
        current: @escaping @Sendable () -> HistorySource?,
        verifier: any StoreVerifier,
        context: WorkContext,
        counts: RecoveryCounts
    ) {
        self.provider = provider
        self.history = history
        self.current = current
        self.verifier = verifier
        self.context = context
        self.counts = counts
    }

    /// Runs on a thread of its own: now, then once an hour, and sooner after a failure.
    public func start() {
        routine.start(history.words.thread, state: RecoverySchedule()) { [self] schedule in
            guard let lease = context.leaderLease.lease else {
                schedule = RecoverySchedule()
                return .seconds(1)
            }
            let report = recover(RecoveryRun(onlyFailures: schedule.onlyFailures, lease: lease)) { _ in }
            return schedule.pause(afterFailure: !report.problems.isEmpty, jitter: .random(in: 0..<1))
        }
    }

    /// Starts nothing new.
    public func halt() {
        routine.halt()
    }

    /// Waits for the running request, and ends runs on other threads too. Call it before the ledger is closed.
    public func close() {
        routine.end()
    }

    /// For `/ready`. Only the leader's.
    public var problems: [String] {
        guard context.leaderLease.isHeld else { return [] }
        return troubles.withLock { troubles in history.lists.flatMap { troubles[$0.key]?.problems ?? [] } }
    }

    /// If `since` is nil, begins at the last success. `progress` runs after each page, on the caller's thread. Blocks.
    public func recover(
        since: Instant?,
        progress: (RecoveryReport) -> Void = { _ in }
    ) -> RecoveryReport {
        recover(RecoveryRun(since: since), progress: progress)
    }

    /// Asked between the steps of a run. False once it has to end, which is never the store's fault: whoever has lost the
    /// lease leaves the rest to the node that has it.
    func goesOn(_ run: RecoveryRun) -> Bool {
        if run.ending == nil, routine.isHalted { run.ending = "this server is shutting down" }
        if run.ending == nil, run.lease != nil, run.lease != context.leaderLease.lease {
            run.ending = "another node leads"
        }
        return run.ending == nil
    }

    private func recover(_ run: RecoveryRun, progress: (RecoveryReport) -> Void) -> RecoveryReport {
        var report = RecoveryReport()
        var isRead = false
        for known in history.lists where goesOn(run) {
            let list = current()?.lists.first { $0.key == known.key } ?? known
            do throws(StoreAPIError) {
                try read(list, run, into: &report, progress: progress)
                guard run.ending == nil else { break }
                isRead = true
                note(nil, of: list)
            } catch {
                guard goesOn(run) else { break }
                report.problems.append("\(list.name): \(error.description)")
                note(error, of: list)
            }
        }
        if let ending = run.ending { report.problems.append(ending) }
        report.isInterrupted = run.ending != nil
        report.isFailure = !isRead && !(history.asksForEntries && report.found > 0)
        counts.ended(report, of: provider, message: history.words.read, log: context.log)
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

    init(since: Instant? = nil, onlyFailures: Bool = false, lease: Lease? = nil) {
        self.since = since
        self.onlyFailures = onlyFailures
        self.lease = lease
    }

    var isMarking: Bool { since == nil }
}

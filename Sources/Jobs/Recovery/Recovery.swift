public import Concurrency
public import Domain
public import Ledger
internal import LedgerInterface
public import Observability
public import StoreInterface
internal import Synchronization

/// Asks a store for its history, at the start and once an hour, and commits what no webhook brought. It uses the same
/// ledger command as a webhook, so that a notification counts once, however it arrives.
public final class Recovery: Sendable {
    let provider: Provider
    let history: HistorySource
    /// Called for each list, because a reload may bring another key.
    private let current: @Sendable () -> HistorySource?
    let verifier: any StoreVerifier
    let reader: LedgerReader
    let writer: LedgerWriter
    let leaderLease: LeaderLease
    let clock: Clock
    let log: Log
    let counts: RecoveryCounts
    /// Keyed by checkpoint.
    let troubles = Mutex<[String: HistoryTrouble]>([:])
    let routine = RecoveryRoutine()

    /// `current` is the history with the settings of the last reload; `verifier` proves the store's webhooks.
    public init(
        of provider: Provider,
        history: HistorySource,
        current: @escaping @Sendable () -> HistorySource?,
        verifier: any StoreVerifier,
        reader: LedgerReader,
        writer: LedgerWriter,
        leaderLease: LeaderLease = .alone,
        clock: Clock,
        log: Log,
        counts: RecoveryCounts
    ) {
        self.provider = provider
        self.history = history
        self.current = current
        self.verifier = verifier
        self.reader = reader
        self.writer = writer
        self.leaderLease = leaderLease
        self.clock = clock
        self.log = log
        self.counts = counts
    }

    public func start() {
        routine.start(history.words.thread) { [self] schedule in
            guard let lease = leaderLease.lease else {
                // They are the other node's to tell.
                troubles.withLock { $0 = [:] }
                return nil
            }
            return recover(RecoveryRun(onlyFailures: schedule.onlyFailures, lease: lease)) { _ in }
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

    /// For `/ready`.
    public var problems: [String] {
        troubles.withLock { troubles in history.lists.flatMap { troubles[$0.key]?.problems ?? [] } }
    }

    /// If `since` is nil, begins at the last success. `progress` runs after each page, on the caller's thread. Blocks.
    public func recover(
        since: Instant?,
        progress: (RecoveryReport) -> Void = { _ in }
    ) -> RecoveryReport {
        recover(RecoveryRun(since: since), progress: progress)
    }

    /// Asked between the steps of a run; nil while it may go on. The store is not to blame for it. Whoever has lost the
    /// lease leaves the rest to the node that has it.
    func reasonToEnd(_ run: RecoveryRun) -> String? {
        if routine.isHalted { return "this server is shutting down" }
        return run.lease == nil || run.lease == leaderLease.lease ? nil : "another node leads"
    }

    private func recover(_ run: RecoveryRun, progress: (RecoveryReport) -> Void) -> RecoveryReport {
        var report = RecoveryReport()
        var isRead = false
        for known in history.lists where reasonToEnd(run) == nil {
            let list = current()?.lists.first { $0.key == known.key } ?? known
            do throws(StoreAPIError) {
                try read(list, run, into: &report, progress: progress)
                guard reasonToEnd(run) == nil else { break }
                isRead = true
                note(nil, of: list)
            } catch {
                report.problems.append("\(list.name): \(error.description)")
                note(error, of: list)
            }
        }
        if let reason = reasonToEnd(run) { report.problems.append(reason) }
        report.isFailure = !isRead && !(history.asksForEntries && report.found > 0)
        counts.ended(report, message: history.words.read, log: log)
        return report
    }
}

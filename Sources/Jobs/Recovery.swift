public import AppleStore
public import Concurrency
public import Domain
public import Ledger
public import Observability
public import StoreInterface
internal import Synchronization

/// Asks Apple for its notification history, at the start and once an hour, and commits what no webhook brought. It uses
/// the same verifier and the same ledger command, so that a notification counts once, whichever way it comes.
public final class Recovery: HistoryRecovery {
    private typealias Reading = HistoryReading<[UInt8]>

    /// One history: Apple keeps one for each app and environment.
    public struct History: Sendable, Equatable {
        public var app: String
        public var environment: StoreEnvironment
        /// The pause between two requests. Apple's limits are 50 requests a second in Production and 5 in Sandbox, and
        /// buyers come first.
        public var pause: Duration

        public init(app: String, environment: StoreEnvironment) {
            self.app = app
            self.environment = environment
            pause = .milliseconds(environment == .production ? 100 : 400)
        }

        /// The checkpoint's name in the ledger, which remembers how far the history was read.
        var mark: String { "history/apple/\(environment.rawValue)/\(app)" }
        /// How long Apple keeps the history.
        var days: Int { environment == .production ? 180 : 30 }
        var reach: Duration { .seconds(days * 86_400) }
    }

    /// A run reads at most 400,000 notifications of one history.
    private static let limits = Reading.Limits(ofAPiece: 500, ofARun: 20_000)

    private let histories: [History]
    /// Called for each history, because a reload may bring another key.
    private let api: @Sendable () -> AppleServerAPI
    private let verifier: any StoreVerifier
    private let reader: LedgerReader
    private let writer: LedgerWriter
    private let clock: Clock
    private let log: Log
    private let counts: RecoveryCounts
    /// The problems of histories that the current settings reject, keyed by checkpoint.
    private let misconfigured = Mutex<[String: String]>([:])
    private let routine = RecoveryRoutine()

    public init(
        _ histories: [History],
        api: @escaping @Sendable () -> AppleServerAPI,
        verifier: any StoreVerifier,
        reader: LedgerReader,
        writer: LedgerWriter,
        clock: Clock,
        log: Log,
        counts: RecoveryCounts
    ) {
        self.histories = histories
        self.api = api
        self.verifier = verifier
        self.reader = reader
        self.writer = writer
        self.clock = clock
        self.log = log
        self.counts = counts
    }

    public func start() {
        routine.start("recovery") { [self] schedule in
            recover(since: nil, onlyFailures: schedule.onlyFailures) { _ in }
        }
    }

    /// Starts nothing new.
    public func halt() {
        routine.halt()
    }

    /// Waits for the page that is being read, and ends runs on other threads too. Call it before the ledger is closed.
    public func close() {
        routine.end()
    }

    public func recover(since: Instant?, progress: (RecoveryReport) -> Void) -> RecoveryReport {
        recover(since: since, onlyFailures: false, progress: progress)
    }

    /// For `/ready`.
    public var problems: [String] {
        misconfigured.withLock { misconfigured in histories.compactMap { misconfigured[$0.mark] } }
    }

    private func recover(
        since: Instant?,
        onlyFailures: Bool,
        progress: (RecoveryReport) -> Void
    ) -> RecoveryReport {
        var report = RecoveryReport()
        var failures = 0
        for history in histories where !routine.isHalted {
            do throws(StoreAPIError) {
                try read(history, since: since, onlyFailures: onlyFailures, into: &report, progress: progress)
            } catch {
                failures += 1
                report.problems.append("\(history.environment.rawValue), \(history.app): \(error.description)")
                log.warning(
                    "history not read",
                    fields: [
                        "environment": history.environment.rawValue, "app": history.app, "reason": error.description,
                    ]
                )
            }
        }
        report.isFailure = failures == histories.count
        counts.ended(report, message: "history read", log: log)
        return report
    }

    private func read(
        _ history: History,
        since: Instant?,
        onlyFailures: Bool,
        into report: inout RecoveryReport,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        let now = clock.now()
        let mark: Instant? = answer { reader.checkpoint(history.mark, completion: $0) } ?? nil
        let start = since ?? RecoverySchedule.start(mark: mark, now: now)
        let span = HistorySpan(from: start, to: now, reach: history.reach)
        let api = api().of(history.app)
        var reading = Reading(span, limits: Recovery.limits) { piece, token, now throws(StoreAPIError) in
            let query = AppleNotificationQuery(start: piece.start, end: piece.end, onlyFailures: onlyFailures)
            let page = try api.notificationHistory(query, after: token, in: history.environment, now: now)
            return .init(entries: page.bodies, next: page.next)
        }
        var tally = HistoryTally()
        defer { note(tally, of: history) }
        try read(&reading, of: history, tally: &tally, marking: since == nil, into: &report, progress: progress)
        let problem = tally.problem(of: history)
        if let problem { report.problems.append(problem) }
        guard since == nil else { return }
        // The first time, there is no checkpoint to stay at: without one, the next start would begin only a day before
        // itself.
        if problem != nil, mark == nil { writer.remember(start, as: history.mark) }
        // A list of failed deliveries may hold nothing genuine, because what is genuine was delivered. So it proves no
        // problem, and the next run asks for everything.
        if problem == nil || !onlyFailures { misconfigured.withLock { $0[history.mark] = problem } }
    }

    private func read(
        _ reading: inout Reading,
        of history: History,
        tally: inout HistoryTally,
        marking: Bool,
        into report: inout RecoveryReport,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        let rest = Waker()
        while !tally.isHopeless, let bodies = try reading.next(now: clock.now()) {
            try routine.checkHalt()
            report.found += bodies.count
            for body in bodies { try commit(body, tally: &tally, into: &report) }
            progress(report)
            if marking, !tally.isMisconfigured, let reached = reading.takeProgress() {
                writer.remember(reached, as: history.mark)
            }
            rest.wait(timeout: history.pause)
        }
        if let lost = reading.span.lost {
            log.info(
                "history does not reach back",
                fields: ["environment": history.environment.rawValue, "until": lost.end.iso8601]
            )
        }
    }

    private func commit(
        _ body: [UInt8],
        tally: inout HistoryTally,
        into report: inout RecoveryReport
    ) throws(StoreAPIError) {
        let now = clock.now()
        let event: Event
        do throws(VerificationError) {
            event = try verifier.verify(Delivery(body: body), now: now)
        } catch {
            report.refused += 1
            return tally.refused(error)
        }
        tally.proved()
        guard let result = writer.commit(event, at: now) else { throw .ledgerBusy }
        report.outcomes[result.outcome, default: 0] += 1
    }

    private func note(_ tally: HistoryTally, of history: History) {
        counts.refused.add(tally.misconfigured)
        for (code, count) in tally.refusals.sorted(by: { $0.key < $1.key }) {
            log.warning(
                "history entries refused",
                fields: [
                    "environment": history.environment.rawValue, "app": history.app, "reason": code, "count": count,
                ]
            )
        }
    }
}

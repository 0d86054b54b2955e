public import Concurrency
public import Domain
public import GoogleStore
public import Ledger
internal import LedgerInterface
public import Observability
public import StoreInterface
internal import Synchronization

/// Asks Google for its list of voided purchases, at the start and once an hour, and commits what no push brought. An
/// entry ends nothing by itself: the purchase is read, as after a push. A void that took effect counts once, whichever
/// way it comes.
public final class VoidedPurchases: HistoryRecovery {
    private typealias Reading = HistoryReading<GoogleVoid?>

    /// A run reads at most 200,000 voids of one app. Google allows 6,000 requests a day, and 30 in half a minute.
    private static let limits = Reading.Limits(ofAPiece: 50, ofARun: 200)
    /// How long Google keeps the list.
    private static let reach = Duration.seconds(30 * 86_400)
    /// When this many purchases in a row cannot be read, the cause is Google, not the purchase.
    private static let patience = 3

    private let packages: [String]
    /// Called for each list, because a reload may bring another key.
    private let google: @Sendable () -> GoogleReader?
    private let reader: LedgerReader
    private let writer: LedgerWriter
    private let clock: Clock
    private let log: Log
    private let counts: RecoveryCounts
    /// The pause between two pages.
    private let pause: Duration
    private let troubles = Mutex<[String: ListTrouble]>([:])
    private let routine = RecoveryRoutine()

    public init(
        _ packages: [String],
        google: @escaping @Sendable () -> GoogleReader?,
        reader: LedgerReader,
        writer: LedgerWriter,
        clock: Clock,
        log: Log,
        counts: RecoveryCounts,
        pause: Duration = .seconds(1)
    ) {
        self.packages = packages
        self.google = google
        self.reader = reader
        self.writer = writer
        self.clock = clock
        self.log = log
        self.counts = counts
        self.pause = pause
    }

    public func start() {
        routine.start("voids") { [self] _ in recover(since: nil) }
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
        troubles.withLock { troubles in packages.compactMap { troubles[$0]?.problem(of: $0) } }
    }

    public func recover(since: Instant?, progress: (RecoveryReport) -> Void) -> RecoveryReport {
        var report = RecoveryReport()
        var failures = 0
        for package in packages where !routine.isHalted {
            do throws(StoreAPIError) {
                try read(package, since: since, into: &report, progress: progress)
                note(nil, of: package)
            } catch {
                failures += 1
                report.problems.append("\(package): \(error.description)")
                note(error, of: package)
            }
        }
        report.isFailure = failures == packages.count && report.found == 0
        counts.ended(report, message: "voided purchases read", log: log)
        return report
    }

    private func read(
        _ package: String,
        since: Instant?,
        into report: inout RecoveryReport,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        guard let google = google() else { throw .unavailable(reason: "it is not configured") }
        let (now, mark) = (clock.now(), "history/google/\(package)")
        let last: Instant? = answer { reader.checkpoint(mark, completion: $0) } ?? nil
        let start = since ?? RecoverySchedule.start(mark: last, now: now)
        let span = HistorySpan(from: start, to: now, reach: VoidedPurchases.reach)
        var reading = Reading(span, limits: VoidedPurchases.limits) { piece, token, asked throws(StoreAPIError) in
            // Google refuses an end that its clock has not reached yet.
            let (start, end) = (piece.start, piece.end < now ? piece.end : nil)
            let page = try google.api.voidedPurchases(of: package, from: start, to: end, after: token, now: asked)
            return .init(entries: page.voids, next: page.next)
        }
        var batch = VoidBatch(patience: VoidedPurchases.patience)
        while let page = try reading.next(now: clock.now()) {
            try routine.checkHalt()
            try commit(page, of: package, google: google, batch: &batch, into: &report)
            progress(report)
            if since == nil, batch.failure == nil, let reached = reading.takeProgress() {
                writer.remember(reached, as: mark)
            }
            if reading.span.piece != nil { Waker().wait(timeout: pause) }
        }
        if let failure = batch.failure { throw failure }
    }

    private func commit(
        _ page: [GoogleVoid?],
        of package: String,
        google: GoogleReader,
        batch: inout VoidBatch,
        into report: inout RecoveryReport
    ) throws(StoreAPIError) {
        report.found += page.count
        let known = known(page.compactMap { $0?.event })
        for void in page {
            try routine.checkHalt()
            guard let void else {
                report.refused += 1
                continue
            }
            if let event = void.event, known.contains(event) {
                report.outcomes[.duplicate, default: 0] += 1
                continue
            }
            do throws(StoreAPIError) {
                report.outcomes[try commit(void, of: package, google: google), default: 0] += 1
                batch.read()
            } catch {
                if try batch.failed(error) { report.refused += 1 }
            }
        }
    }

    private func commit(
        _ void: GoogleVoid,
        of package: String,
        google: GoogleReader
    ) throws(StoreAPIError) -> Outcome {
        let now = clock.now()
        let event = try google.event(of: void, in: package, now: now)
        guard let result = writer.commit(event, at: now) else { throw .ledgerBusy }
        return result.outcome
    }

    /// The events that took effect, which need not be read again. Events of two environments may share an id.
    private func known(_ events: [String]) -> Set<String> {
        guard !events.isEmpty else { return [] }
        let selection = EventSelection(ids: Set(events).sorted())
        let found = answer { reader.events(selection, limit: events.count, completion: $0) } ?? []
        return Set(found.filter { $0.provider == .google }.map(\.id))
    }

    private func note(_ error: StoreAPIError?, of package: String) {
        let now = monotonicNanoseconds()
        switch troubles.withLock({ $0[package, default: ListTrouble()].take(error, now: now) }) {
        case .began(let reason): log.warning("voided purchases not read", fields: ["app": package, "reason": reason])
        case .ended(let count, let seconds):
            log.info("voided purchases read again", fields: ["app": package, "count": count, "seconds": seconds])
        case nil: break
        }
    }
}

import Domain
import Support

/// The body of the writer's thread: batches, transactions, completions, and the sleep until access ends.
struct WriterLoop {
    /// The most commands that one transaction takes. By then the cost of the fsync is spread thin, and nobody waits
    /// longer for it.
    private static let batchLimit = 512
    /// 2 MB of journal. At 200 events a second, the slowest percent of commits takes 1.8 ms with this, and 7 ms with
    /// four times as much, because the disk writes both journal and checkpoint.
    private static let pagesBetweenCheckpoints = 2048
    /// Under load, a page that many commits have changed is then copied once. At 200 events a second it changes nothing.
    private static let timeBetweenCheckpoints: UInt64 = 500_000_000
    /// How long to wait after a failed transaction without commands, so that a full disk does not make the loop spin.
    private static let pause = Duration.seconds(1)
    /// How long messages about erasures that have arrived are collected before what they left is overwritten, in nanoseconds:
    /// that stops all commits for a moment, in a ledger of 64 MB for half a second.
    private static let timeBetweenScrubs: UInt64 = 60_000_000_000

    var repository: LedgerRepository
    let clock: Clock
    let log: Log
    let counts: LedgerMetrics
    let health: LedgerHealth
    var states: RecentStates?
    let onCommit: @Sendable ([Entry]) -> Void
    let onLocale: @Sendable (UserID) -> Void
    /// When what messages about erasures left is overwritten; nil if nothing is left.
    var scrubsAt: MonotonicTime?

    /// Returns when the mailbox is closed and empty. `checkpoint` is called when the journal has grown; it must not
    /// block.
    mutating func run(_ mailbox: Mailbox<LedgerCommand>, waker: Waker, checkpoint: () -> Void) {
        if (try? repository.owesScrub()) == true { scrubsAt = monotonicNanoseconds() }
        var succeeded = commit([])
        var journal = 0
        var checkpointedAt: MonotonicTime = 0
        while true {
            // The order matters: once the closing is seen, everything that was sent before it is still drained.
            let isClosing = mailbox.isClosed
            var waiting = mailbox.drain()[...]
            counts.queueDepth.set(waiting.count)
            if waiting.isEmpty && isClosing { break }
            if let scrubsAt, scrubsAt <= monotonicNanoseconds() { scrub() }
            if waiting.isEmpty {
                waker.wait(timeout: succeeded ? timeToNextTurn() : WriterLoop.pause)
                if mailbox.count > 0 { continue }
                succeeded = timeToNextEnd() == .zero ? commit([]) : true
                continue
            }
            while !waiting.isEmpty {
                succeeded = commit(waiting.prefix(WriterLoop.batchLimit))
                waiting = waiting.dropFirst(WriterLoop.batchLimit)
                journal += repository.file?.takePagesWritten() ?? 0
                let now = monotonicNanoseconds()
                guard journal > WriterLoop.pagesBetweenCheckpoints,
                    now - checkpointedAt > WriterLoop.timeBetweenCheckpoints
                else { continue }
                journal = 0
                checkpointedAt = now
                checkpoint()
            }
        }
    }

    /// Call it when nothing more will be committed.
    mutating func finish() {
        guard isInPlace() else { return }
        if scrubsAt != nil { scrub() }
        repository.file?.finish()
    }

    /// Runs one transaction. Returns false when it was rolled back, or when the access of contracts whose time has come
    /// could not be ended.
    private mutating func commit(_ commands: ArraySlice<LedgerCommand>) -> Bool {
        guard isInPlace() else {
            refuse(commands)
            return false
        }
        let start = monotonicNanoseconds()
        let batch: Batch
        do throws(EngineError) {
            batch = try transaction(commands)
        } catch {
            try? repository.rollback()
            health.report(.commit, problem: error.advice, outage: error.outage)
            refuse(commands)
            return false
        }
        // The files were in place when the transaction began, and now they are not: it went into files that nobody
        // opens again.
        if let problem = repository.file?.problem {
            health.lose(problem)
            refuse(commands)
            return false
        }
        health.committed()
        let news = repository.takeNews()
        states?.remember(news.hooks)
        overwriteErased(news)
        counts.commitTime.record(nanoseconds: monotonicNanoseconds() - start)
        counts.batchSize.set(commands.count)
        counts.commands.add(commands.count)
        counts.unclaimed.set(batch.unclaimed)
        if !news.entries.isEmpty { onCommit(news.entries) }
        // Called after the entries, some of which may be in the former locale.
        for user in news.readers { onLocale(user) }
        for completion in batch.completions { completion() }
        repository.connection.notifyNodes()
        return batch.endsAreServed
    }

    /// At once after an erasure; for a message that is gone, once for all in a while.
    private mutating func overwriteErased(_ news: TransactionNews) {
        if news.hasErasedMessage, scrubsAt == nil {
            scrubsAt = monotonicNanoseconds() + WriterLoop.timeBetweenScrubs
        }
        if news.hasErased {
            states?.forget()
            scrub()
        }
    }

    /// Commands hardly ever fail, and a savepoint makes SQLite copy every page before a command changes it. So all
    /// commands first run together; when one fails, everything runs again with a savepoint for each.
    private mutating func transaction(_ commands: ArraySlice<LedgerCommand>) throws(EngineError) -> Batch {
        do throws(EngineError) {
            return try transaction(commands, isolating: false)
        } catch {
            if error.isBusy || error.failsTransaction { throw error }
            try repository.rollback()
            return try transaction(commands, isolating: true)
        }
    }

    private mutating func transaction(
        _ commands: ArraySlice<LedgerCommand>,
        isolating: Bool
    ) throws(EngineError) -> Batch {
        var batch = Batch(isIsolating: isolating)
        let now = clock.now()
        var preload = Preload()
        var keys: [IdempotencyKey] = []
        if repository.isShared, !isolating {
            for command in commands { command.add(to: &preload, keys: &keys, streams: repository.streams) }
        }
        try repository.begin(reading: preload, keys: keys, now: now)
        try fill(&batch, commands: commands, now: now)
        try repository.commit()
        return batch
    }

    private mutating func fill(
        _ batch: inout Batch,
        commands: ArraySlice<LedgerCommand>,
        now: Instant
    ) throws(EngineError) {
        // Access ends first, so that every command finds the others' contracts as they stand now.
        let ended = try run(isolated: batch.isIsolating) { repository throws(EngineError) in
            try repository.endAccess(now: now)
        }
        batch.endsAreServed = ended.success != nil
        for command in commands { try add(command, to: &batch, at: now) }
        batch.unclaimed = try repository.addUnclaimed(repository.news.unclaimed)
    }

    /// Runs one command. When it is isolated, its failure undoes nothing else. Throws when the transaction has to be
    /// undone.
    mutating func run<Value>(
        isolated: Bool,
        body: (inout LedgerRepository) throws(EngineError) -> Value
    ) throws(EngineError) -> Result<Value, LedgerError> {
        guard isolated else { return .success(try body(&repository)) }
        let result = try repository.isolated(body)
        if case .failure(let error) = result { log.error("ledger command failed", fields: ["error": error]) }
        return result.mapError { .failed(reason: $0.description) }
    }
}

/// Access ends at its time without a webhook: the writer sleeps until then.
extension WriterLoop {
    /// An hour at most, because the system's clock may be set. Of what other nodes commit, nobody tells this thread.
    func timeToNextEnd() -> Duration? {
        guard let end = try? repository.nextEnd() else { return repository.isShared ? WriterLoop.sharedSleep : nil }
        let now = clock.now()
        let most = repository.isShared ? WriterLoop.sharedSleep : .seconds(3600)
        return end <= now ? .zero : min(.milliseconds(end.milliseconds - now.milliseconds), most)
    }

    private func timeToNextTurn() -> Duration? {
        guard let scrubsAt else { return timeToNextEnd() }
        let now = monotonicNanoseconds()
        let rest = Duration.nanoseconds(Int64(clamping: scrubsAt - now))
        return min(rest, timeToNextEnd() ?? rest)
    }

    private static let sharedSleep = Duration.seconds(5)
}

/// Erased rows are still in free space and in the journal after the commit.
extension WriterLoop {
    private mutating func scrub() {
        scrubsAt = nil
        guard isInPlace() else { return }
        var isOverwritten = true
        do throws(EngineError) {
            if try repository.file?.overwriteFreeSpace() == false {
                let todo = "at the next maintenance: paycast backup copy.db, stop the server, paycast restore copy.db"
                log.warning("free space not overwritten", fields: ["why": "the ledger is large", "todo": todo])
            }
        } catch {
            isOverwritten = false
            log.error("free space not overwritten", fields: ["problem": error, "todo": "erase again"])
        }
        // Otherwise the next start does it.
        guard emptyJournal(), isOverwritten else { return }
        if (try? repository.settleScrub()) == nil { try? repository.rollback() }
    }

    /// Readers let go of the journal within milliseconds, a checkpoint within a second, a backup when it is done.
    private func emptyJournal() -> Bool {
        for _ in 0..<100 {
            if (try? repository.file?.emptyJournal() ?? true) == true { return true }
            Waker().wait(timeout: .milliseconds(10))
        }
        let todo = "erase again when the backup is done, or start the server again"
        log.warning("journal not emptied", fields: ["why": "something reads the ledger", "todo": todo])
        return false
    }
}

/// Commands that cannot be committed: they are refused, and so are those that follow, until it works again.
extension WriterLoop {
    /// False when a commit would not be found after the next start. Nothing is committed then.
    func isInPlace() -> Bool {
        let problem = repository.file?.problem
        health.report(.files, problem: problem)
        if problem != nil && health.beginRescue() { rescue() }
        return problem == nil && health.isSound
    }

    func refuse(_ commands: ArraySlice<LedgerCommand>) {
        counts.failures.add()
        for command in commands { command.refuse(.busy) }
    }
}

/// A node that was frozen, or cut off, may wake up with work to commit that another one does by now.
extension WriterLoop {
    /// Asks once for each batch.
    func holds(_ lease: Lease, in batch: inout Batch) throws(EngineError) -> Bool {
        if let known = batch.leases[lease] { return known }
        let isHeld = try repository.holds(lease)
        batch.leases[lease] = isHeld
        if !isHeld {
            log.warning(
                "work of a former lease refused",
                fields: ["lease": lease.number, "todo": "nothing: another node does it"]
            )
        }
        return isHeld
    }
}

/// A ledger that loses its name, or its journal's, while the server runs.
extension WriterLoop {
    func rescue() {
        // What the files hold would be copied.
        guard !health.isTroubled(.content) else { return }
        do throws(EngineError) {
            switch try repository.file?.rescue() {
            case nil: break
            case .copied(let file):
                log.error(
                    "ledger rescued",
                    fields: ["file": file, "todo": "stop the server, then: paycast restore \(file)"]
                )
            case .failed(let reason): log.error("ledger not rescued", fields: ["problem": reason])
            }
        } catch {
            log.error("ledger not rescued", fields: ["problem": error])
        }
    }
}

/// The writer's metrics.
struct LedgerMetrics: Sendable {
    let commitTime: Histogram
    let batchSize, queueDepth, unclaimed: Gauge
    let commands, failures: Counter
    private let outcomes: [Provider: [Outcome: Counter]]
    private let unclaimedInARow: [Provider: Gauge]

    init(_ metrics: Metrics, providers: [Provider]) {
        commitTime = metrics.histogram(.commit)
        batchSize = metrics.gauge(.ledgerBatchSize)
        commands = metrics.counter(.ledgerCommands)
        failures = metrics.counter(.commitFailures)
        queueDepth = metrics.gauge(.ledgerQueueDepth)
        unclaimed = metrics.gauge(.unclaimedContracts)
        var outcomes: [Provider: [Outcome: Counter]] = [:]
        for provider in providers {
            for outcome in Outcome.allCases {
                outcomes[provider, default: [:]][outcome] = metrics.counter(
                    .events,
                    labels: ["provider": provider.rawValue, "outcome": outcome.rawValue]
                )
            }
        }
        self.outcomes = outcomes
        unclaimedInARow = providers.reduce(into: [:]) { gauges, provider in
            gauges[provider] = metrics.gauge(.unclaimedInARow, labels: ["provider": provider.rawValue])
        }
    }

    func count(_ outcome: Outcome, of event: Event) {
        outcomes[event.provider]?[outcome]?.add()
        guard event.kind == .subscriptionStarted || event.kind == .purchaseCompleted else { return }
        switch outcome {
        case .unclaimed: unclaimedInARow[event.provider]?.add(1)
        case .applied: unclaimedInARow[event.provider]?.set(0)
        case .duplicate, .stale, .ignored, .quarantined: break
        }
    }
}

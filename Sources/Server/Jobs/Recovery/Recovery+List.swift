import Domain
import Ledger
import Stores
import Support
import Synchronization

/// One list of the history.
extension Recovery {
    func read(
        _ list: HistoryList,
        _ run: RecoveryRun,
        progress: (RecoveryReport) -> Void
    ) throws(StoreAPIError) {
        let now = context.clock.now()
        let mark = try? context.reader.answer { try $0.checkpoint(list.key) }
        let start = run.since ?? RecoverySchedule.start(mark: mark, now: now)
        var reading = HistoryReading(list, from: start, to: now, onlyFailures: run.onlyFailures)
        var batch = HistoryBatch()
        defer { note(batch.tally, of: list) }
        try read(&reading, of: list, batch: &batch, in: run, progress: progress)
        guard run.ending == nil else { return }
        if let failure = batch.failure { throw failure }
        let problem = batch.tally.problem
        if let problem { run.report.problems.append(problem) }
        guard run.isMarking else { return }
        // The first time, there is no checkpoint to keep: without one, the next start would begin only a day before
        // itself.
        if problem != nil, mark == nil { context.writer.remember(start, as: list.key, under: run.lease) }
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
        while !batch.tally.isHopeless, let entries = try reading.next(now: context.clock.now()) {
            guard goesOn(run) else { return }
            run.report.found += entries.count
            try commit(entries, of: list, in: run, batch: &batch)
            progress(run.report)
            guard run.ending == nil else { return }
            if run.isMarking, batch.isSound, let reached = reading.takeProgress() {
                context.writer.remember(reached, as: list.key, under: run.lease)
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
    private func note(_ tally: HistorySettingsCheck, of list: HistoryList) {
        counts.refused.add(tally.misconfigured)
        for (code, count) in tally.refusals.sorted(by: { $0.key < $1.key }) {
            context.log.warning(
                "history entries refused",
                fields: [
                    "environment": list.environment?.rawValue ?? "-", "app": list.app, "reason": code, "count": count,
                ]
            )
        }
    }

    /// `error` is nil after a run that read the list.
    func note(_ error: StoreAPIError?, of list: HistoryList) {
        let hint = error.flatMap { list.hint(.unread($0)) }
        let now = monotonicNanoseconds()
        let news = troubles.withLock { $0[list.key, default: HistoryTrouble()].take(error, hint: hint, now: now) }
        switch (news, history.words.readAgain) {
        case (.ended(let count, let seconds), let words?):
            context.log.info(words, fields: ["app": list.app, "count": count, "seconds": seconds])
        case (.began(let reason), _?): warn(reason, of: list)
        case (_, nil): if let error { warn(error.description, of: list) }
        case (nil, _?): break
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

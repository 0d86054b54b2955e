import APIModel
import Domain
import Glibc
import HTTPClient
import Support
import Synchronization

/// Posts the rows of a list, several at a time, and no more a second than allowed. What is told, counted and noted follows
/// the order of the list, whichever row is answered first.
final class Importer: Sendable {
    struct Settings: Sendable {
        var isTransfer = false
        /// Rows a second.
        var rate = 20
        /// Where it notes how far it is; nil for nowhere.
        var notePath: String?
    }

    private struct Source {
        var reader: RecordReader
        /// Rows read by this run.
        var count = 0
    }

    /// A row that was read, and is not behind the mark yet.
    private struct Slot {
        var line: Int
        var end: RecordReader.Mark
        var outcome: RowOutcome?
    }

    private struct State {
        var slots: [Slot] = []
        /// The number of the first of them.
        var first = 0
        var note: ImportNote
        var savedAt = monotonicNanoseconds()
        var pace: ImportPace
        /// When each store has last told something.
        var answers: [String: MonotonicTime] = [:]
        /// What is waited for and was told, by store; "" is the server.
        var toldReasons: [String: Set<String>] = [:]
        /// Whether the server has answered anything.
        var isReached = false
        /// Why everything stops.
        var failure: CommandFailure?
    }

    /// As many as the server asks stores for at a time.
    private static let workers = 8
    /// Rows that may be answered before an earlier one is.
    private static let window = 4096

    private let remote: RemoteServer
    private let client = HTTPClient(timeout: .seconds(120))
    private let settings: Settings
    private let columns: ImportColumns
    private let source: Mutex<Source>
    private let state: Monitor<State>
    private let progress = ProgressLine()

    init(
        _ reader: RecordReader,
        columns: ImportColumns,
        note: ImportNote,
        remote: RemoteServer,
        settings: Settings
    ) {
        self.remote = remote
        self.settings = settings
        self.columns = columns
        source = Mutex(Source(reader: reader))
        state = Monitor(State(note: note, pace: ImportPace(rate: settings.rate)))
    }

    /// Returns when all rows are settled. Throws what stopped it; then the note says where.
    func run() throws(CommandFailure) -> ImportReport {
        let threads = (0..<Importer.workers).map { number in
            WorkerThread(name: "import-\(number)") { [self] in
                while let (number, record) = take() {
                    guard let outcome = outcome(of: record) else { return }
                    settle(number, outcome)
                }
            }
        }
        for thread in threads { thread.join() }
        progress.clear()
        let (note, failure) = state.withLock { ($0.note, $0.failure) }
        if let path = settings.notePath { try note.save(path) }
        guard let failure else { return note.report }
        let again = settings.notePath.map { "; \($0) knows that" } ?? ""
        throw CommandFailure("\(failure.message) (stopped before line \(note.mark.line)\(again))")
    }

    /// The next row, and its number in this run. Nil at the end, and once everything stops.
    private func take() -> (number: Int, record: RecordReader.Record)? {
        let isFree = state.wait { state -> Bool? in
            if state.failure != nil { return false }
            return state.slots.count < Importer.window ? true : nil
        }
        guard isFree else { return nil }
        // Under the lock of the file, so that rows are listed in their order.
        return source.withLock { source -> (Int, RecordReader.Record)? in
            do throws(CommandFailure) {
                guard let record = try source.reader.next() else { return nil }
                let number = source.count
                source.count += 1
                state.withLock { $0.slots.append(Slot(line: record.line, end: record.end)) }
                return (number, record)
            } catch {
                stop(error)
                return nil
            }
        }
    }

    /// Nil once everything stops.
    private func outcome(of record: RecordReader.Record) -> RowOutcome? {
        do throws(ImportedRow.Flaw) {
            return ask(try columns.row(record), line: record.line)
        } catch {
            return .unread(error.message)
        }
    }

    private func ask(_ row: ImportedRow, line: Int) -> RowOutcome? {
        var backoff = Backoff(first: .seconds(1), most: .seconds(30))
        var patience = RowPatience()
        let begun = monotonicNanoseconds()
        while waitForTurn(at: row.store) {
            let answer: HTTPClient.Response
            do throws(CommandFailure) {
                answer = try post(row)
            } catch {
                // Who has never been answered has mistyped an address.
                guard state.withLock({ $0.isReached }) else {
                    stop(error)
                    return nil
                }
                pause(row.store, for: backoff.failed(), because: error.message, of: .server)
                continue
            }
            switch RowVerdict(answer) {
            case .settled(let outcome):
                answered(row.store, isOfStore: outcome.isOfStore)
                return outcome
            case .stop:
                stop(
                    CommandFailure("line \(line): \(remote.failure(status: answer.status, body: answer.body).message)")
                )
                return nil
            case .wait(let reason, let seconds, let extent):
                state.withLock { $0.isReached = true }
                let othersAreAnswered = hasAnswered(row.store, since: begun)
                if patience.isOver(after: extent, othersAreAnswered: othersAreAnswered) { return .unanswered(reason) }
                pause(row.store, for: seconds.map { .seconds($0) } ?? backoff.failed(), because: reason, of: extent)
            }
        }
        return nil
    }

    private func post(_ row: ImportedRow) throws(CommandFailure) -> HTTPClient.Response {
        try remote.response(
            "POST",
            "/transactions/\(row.store)",
            json: row.body(isTransfer: settings.isTransfer),
            by: client
        )
    }
}

/// When a row is posted.
extension Importer {
    /// Sleeps until the rate and the store allow another row. False once everything stops.
    private func waitForTurn(at store: String) -> Bool {
        while true {
            let (pauseEnd, turn) = state.withLock { state in
                let now = monotonicNanoseconds()
                let pauseEnd = state.pace.pause(of: store, at: now)
                return (pauseEnd, pauseEnd == nil ? state.pace.turn(at: now) : now)
            }
            // After a pause, all its rows would go at once, so each gets a turn again.
            guard sleep(until: pauseEnd ?? turn) else { return false }
            let isPaused = state.withLock { $0.pace.pause(of: store, at: monotonicNanoseconds()) != nil }
            if pauseEnd == nil, !isPaused { return true }
        }
    }

    /// False once everything stops.
    private func sleep(until moment: MonotonicTime) -> Bool {
        let rest = monotonicNanoseconds().duration(to: moment)
        return state.wait(timeout: rest) { $0.failure == nil ? nil : true } == nil
    }

    /// Of a silence that concerns one row, the others notice nothing.
    private func pause(_ store: String, for duration: Duration, because reason: String, of extent: RowVerdict.Extent) {
        let end = monotonicNanoseconds() + duration
        guard extent != .row else {
            _ = sleep(until: end)
            return
        }
        let isNews = state.withLock { state in
            state.pace.pause(store, until: end)
            return state.toldReasons[extent == .server ? "" : store, default: []].insert(reason).inserted
        }
        guard isNews else { return }
        progress.clear()
        printError("paycast: waiting, and going on by itself: \(reason)")
    }

    private func answered(_ store: String, isOfStore: Bool) {
        state.withLock { state in
            state.isReached = true
            state.toldReasons[""] = nil
            guard isOfStore else { return }
            state.answers[store] = monotonicNanoseconds()
            state.toldReasons[store] = nil
        }
    }

    private func hasAnswered(_ store: String, since begun: MonotonicTime) -> Bool {
        state.withLock { $0.answers[store].map { $0 > begun } ?? false }
    }

    private func stop(_ failure: CommandFailure) {
        state.change { $0.failure = $0.failure ?? failure }
    }
}

/// What becomes of the rows, in their order.
extension Importer {
    private func settle(_ number: Int, _ outcome: RowOutcome) {
        state.change { state in
            state.slots[number - state.first].outcome = outcome
            let settled = state.slots.prefix { $0.outcome != nil }
            guard let last = settled.last else { return }
            state.slots.removeFirst(settled.count)
            state.first += settled.count
            for slot in settled { count(slot, in: &state.note.report) }
            state.note.mark = last.end
            progress.show("importing … line \(last.end.line), \(state.note.report.rows) rows")
            let now = monotonicNanoseconds()
            guard let path = settings.notePath, now >= state.savedAt + Duration.seconds(1) else { return }
            state.savedAt = now
            do throws(CommandFailure) { try state.note.save(path) } catch { state.failure = state.failure ?? error }
        }
    }

    private func count(_ slot: Slot, in report: inout ImportReport) {
        guard let outcome = slot.outcome else { return }
        report.add(outcome)
        guard let problem = outcome.problem else { return }
        progress.clear()
        printError("line \(slot.line): \(problem)")
    }
}

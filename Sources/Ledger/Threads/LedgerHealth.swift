import Domain
import Support
import Synchronization

/// The present troubles of the ledger, as its writer, its checkpointer and its watch report them. Any thread may report
/// and ask.
public final class LedgerHealth: Sendable {
    public enum Part: String, CaseIterable, Sendable {
        /// Transactions.
        case commit
        /// Questions from pages and from the API.
        case read
        /// Reading what other nodes commit.
        case log
        /// Hearing that other nodes have committed.
        case notifications
        /// Saying to the other nodes that this one lives, and the work that one does for all.
        case membership
        /// The files at the ledger's paths.
        case files
        case lock
        /// The content of the files.
        case content
        case disk
        /// Copying the journal into the ledger's file.
        case checkpoint
    }

    private struct State {
        var incidents = Part.allCases.map { Incident(calm: $0.calm) }
        /// True when a transaction went into files that are gone. Until the next start nobody knows what the ledger
        /// holds.
        var isLost = false
        var isRescued = false
        /// When the last transaction was committed.
        var committedAt: MonotonicTime = 0
        /// The parts that the server which keeps the ledger gives no answer to.
        var unanswered: Set<Part> = []
        /// Since when, and why, in the words of the newest of them.
        var outage: (since: Instant, reason: String)?
    }

    private let state = Mutex(State())
    private let log: Log
    private let clock: Clock
    private let met: [Counter]

    init(_ log: Log, metrics: Metrics, clock: Clock = Clock()) {
        self.log = log
        self.clock = clock
        met = Part.allCases.map { metrics.counter(.ledgerTroubles, labels: ["part": $0.rawValue]) }
        for part in Part.allCases {
            metrics.gauge(.ledgerTrouble, labels: ["part": part.rawValue]) { [weak self] in
                self?.isTroubled(part) == true ? 1 : 0
            }
        }
    }

    /// One sentence for each problem, which says what to do; for `/ready`.
    public var problems: [String] {
        guard let outage else { return told(of: Part.allCases.filter { $0 != .notifications || !worksByPolling }) }
        // What needs the server is in the one sentence.
        return ["ledger: \(outage)"] + told(of: Part.allCases.filter { !$0.isOfServer })
    }

    /// Troubles that only cost time: without notifications, other nodes' commits are still read once a second.
    public var warnings: [String] { worksByPolling ? told(of: [.notifications]) : [] }

    /// How the sentence begins that says that PostgreSQL is away, and since when.
    public static let outageWords = "PostgreSQL does not answer since"

    /// That PostgreSQL is away; nil while it answers questions, or takes commits.
    private var outage: String? {
        let found = state.withLock { $0.unanswered.isDisjoint(with: [.commit, .read, .log]) ? nil : $0.outage }
        return found.map { since, reason in
            "\(LedgerHealth.outageWords) \(since.iso8601) (\(reason)): check that it runs, and the network between; "
                + "nothing here needs a restart"
        }
    }

    private var worksByPolling: Bool { !isTroubled(.log) && !isTroubled(.read) && !isTroubled(.commit) }

    private func told(of parts: [Part]) -> [String] {
        var told: [String] = []
        let reasons = state.withLock { state in parts.compactMap { state.incidents[$0.index].reason } }
        for reason in reasons where !told.contains(reason) { told.append(reason) }
        return told.map { "ledger: \($0)" }
    }

    /// False when what is written now may not be there after the next start. Then nothing is written.
    var isSound: Bool {
        state.withLock { !$0.isLost && $0.incidents[Part.content.index].reason == nil }
    }

    /// True while the trouble with this part lasts.
    func isTroubled(_ part: Part) -> Bool { state.withLock { $0.incidents[part.index].reason != nil } }

    /// The time since the last commit.
    func idleNanoseconds(now: MonotonicTime) -> UInt64 { state.withLock { now - $0.committedAt } }

    /// Returns true the first time only: then the caller saves what the files that are no longer in place hold.
    func beginRescue() -> Bool {
        state.withLock { state in
            defer { state.isRescued = true }
            return !state.isRescued
        }
    }

    func committed() {
        let now = monotonicNanoseconds()
        state.withLock { $0.committedAt = now }
        report(.commit, problem: nil)
    }

    /// Call it when the last transaction went into files that nobody will open again.
    func lose(_ reason: String) {
        report(.files, problem: "\(reason); start the server again")
        state.withLock { $0.isLost = true }
    }

    /// `problem` is nil when the part works. `outage`: why the server that keeps the ledger gives no answer, if that is it.
    public func report(_ part: Part, problem: String?, outage: String? = nil) {
        if problem != nil { met[part.index].add() }
        let now = monotonicNanoseconds()
        let news: Incident.News? = state.withLock { state in
            if part == .files && state.isLost { return nil }
            let news =
                problem.map { state.incidents[part.index].recordFailure($0, now: now) }
                ?? state.incidents[part.index].recordSuccess(now: now)
            if let outage {
                state.unanswered.insert(part)
                state.outage = (state.outage?.since ?? clock.now(), outage)
            } else if state.incidents[part.index].reason == nil {
                state.unanswered.remove(part)
                if state.unanswered.isEmpty { state.outage = nil }
            }
            return news
        }
        switch news {
        case .began(let reason): log.error("ledger trouble", fields: ["part": part.rawValue, "problem": reason])
        case .ended(let count, let seconds):
            log.info("ledger trouble is over", fields: ["part": part.rawValue, "count": count, "seconds": seconds])
        case .works, nil: break
        }
    }
}

extension LedgerHealth.Part {
    /// How long a part must work before its trouble counts as over. Some parts succeed now and then while the trouble
    /// lasts.
    fileprivate var calm: Duration {
        switch self {
        case .commit, .read, .log, .membership, .checkpoint: .seconds(5)
        // They come through, or they do not: each connection finds out before anything else.
        case .notifications, .files, .lock, .content, .disk: .zero
        }
    }

    /// Whether it is one of what a server of its own does for the ledger.
    fileprivate var isOfServer: Bool {
        switch self {
        case .commit, .read, .log, .notifications, .membership: true
        case .files, .lock, .content, .disk, .checkpoint: false
        }
    }

    fileprivate var index: Int { LedgerHealth.Part.allCases.firstIndex(of: self) ?? 0 }
}

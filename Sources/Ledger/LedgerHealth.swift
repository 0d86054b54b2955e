internal import Concurrency
internal import Observability
internal import Synchronization

/// What is wrong with the ledger now, as its writer and its watch find it. Any thread may tell and ask.
public final class LedgerHealth: Sendable {
    enum Part: String, CaseIterable, Sendable {
        /// Transactions.
        case commit
        /// Questions of pages and of the API.
        case read
        /// What stands at the ledger's paths.
        case files
        case lock
        /// What is in them.
        case content
        case disk
        /// From the journal into the ledger's file.
        case checkpoint
    }

    private struct State {
        var incidents = Part.allCases.map { Incident(calm: $0.calm) }
        /// A transaction went into files that are gone. Until the next start nobody knows what the ledger holds.
        var isLost = false
        var isRescued = false
        /// Monotonic nanoseconds.
        var committedAt: UInt64 = 0
    }

    private let state = Mutex(State())
    private let log: Log
    private let met: [Counter]

    init(_ log: Log, _ metrics: Metrics) {
        self.log = log
        met = Part.allCases.map { part in
            metrics.counter(
                "paycast_ledger_troubles_total",
                "How often something was found wrong with the ledger, by what it was.",
                labels: ["part": part.rawValue]
            )
        }
    }

    /// A sentence each that says what to do; for `/ready`.
    public var problems: [String] {
        var told: [String] = []
        for reason in state.withLock({ $0.incidents.compactMap(\.reason) }) where !told.contains(reason) {
            told.append(reason)
        }
        return told.map { "ledger: \($0)" }
    }

    /// False: what is written now may not be there after the next start, so nothing is.
    var isSound: Bool {
        state.withLock { !$0.isLost && $0.incidents[Part.content.index].reason == nil }
    }

    /// Whether what the files hold can be copied.
    var contentIsSound: Bool { !isTroubled(.content) }

    /// Whether a failure of this kind goes on.
    func isTroubled(_ part: Part) -> Bool { state.withLock { $0.incidents[part.index].reason != nil } }

    /// Since the last commit.
    func idleNanoseconds(now: UInt64) -> UInt64 {
        state.withLock { now > $0.committedAt ? now - $0.committedAt : 0 }
    }

    /// True once: what the files hold that are not in their place is to be saved.
    func beginRescue() -> Bool {
        state.withLock { state in
            defer { state.isRescued = true }
            return !state.isRescued
        }
    }

    func committed() {
        let now = monotonicNanoseconds()
        state.withLock { $0.committedAt = now }
        report(.commit, nil)
    }

    /// The last transaction went into files that nobody will open again.
    func lose(_ reason: String) {
        report(.files, "\(reason); start the server again")
        state.withLock { $0.isLost = true }
    }

    /// `problem` is nil when that part is well.
    func report(_ part: Part, _ problem: String?) {
        if problem != nil { met[part.index].add() }
        let now = monotonicNanoseconds()
        let news: Incident.News? = state.withLock { state in
            if part == .files && state.isLost { return nil }
            return problem.map { state.incidents[part.index].met($0, now: now) }
                ?? state.incidents[part.index].isOver(now: now)
        }
        switch news {
        case .began(let reason): log.error("ledger trouble", ["part": part.rawValue, "problem": reason])
        case .ended(let count, let seconds):
            log.info("ledger trouble is over", ["part": part.rawValue, "count": count, "seconds": seconds])
        case nil: break
        }
    }
}

extension LedgerHealth.Part {
    /// What may succeed now and then while its trouble lasts.
    fileprivate var calm: Duration {
        switch self {
        case .commit, .read, .checkpoint: .seconds(5)
        case .files, .lock, .content, .disk: .zero
        }
    }

    fileprivate var index: Int { LedgerHealth.Part.allCases.firstIndex(of: self) ?? 0 }
}

import Domain
import Support

/// The queue of broadcasts between a listener and the ledger. It submits one batch at a time and keeps it until it is
/// committed, so that the order holds whatever happens. Broadcasts that arrive meanwhile form the next batch.
///
/// Pure.
struct BroadcastQueue {
    private static let countLimit = 1000
    private static let byteLimit = 4 << 20
    /// The pause before a retry of a batch that the busy ledger did not take.
    private static let pause = Duration.milliseconds(100)

    private enum Phase: Equatable {
        case resting
        case submitted
        case refused(until: MonotonicTime)
    }

    private var phase = Phase.resting
    private var batch: [Fragment] = []
    private var waiting: [Fragment] = []
    private var waitingBytes = 0
    /// Since when the ledger has taken nothing.
    private(set) var refusedSince: MonotonicTime?

    /// If false, leave new messages where they are: Redis buffers some megabytes before it closes the connection, and a
    /// table keeps its rows.
    var hasRoom: Bool {
        waiting.count < BroadcastQueue.countLimit && waitingBytes < BroadcastQueue.byteLimit
    }

    /// When `next` has something to retry.
    var retry: MonotonicTime? {
        if case .refused(let until) = phase { until } else { nil }
    }

    mutating func add(_ fragment: Fragment, bytes: Int) {
        waiting.append(fragment)
        waitingBytes += bytes
    }

    /// The batch to submit now.
    mutating func next(at now: MonotonicTime) -> [Fragment]? {
        switch phase {
        case .submitted: return nil
        case .refused(let until):
            guard until <= now else { return nil }
        case .resting:
            batch = waiting
            waiting = []
            waitingBytes = 0
            guard !batch.isEmpty else { return nil }
        }
        phase = .submitted
        return batch
    }

    /// The ledger has committed the batch.
    mutating func committed() {
        batch = []
        phase = .resting
        refusedSince = nil
    }

    /// The ledger is busy: retry the same batch later.
    mutating func refused(at now: MonotonicTime) {
        // It was dropped meanwhile.
        guard !batch.isEmpty else { return committed() }
        phase = .refused(until: now + BroadcastQueue.pause)
        refusedSince = refusedSince ?? now
    }

    /// The ledger will never take the batch. Returns the number of broadcasts in it.
    mutating func discard() -> Int {
        defer { committed() }
        return batch.count
    }

    /// Drops everything, except that what is submitted may still be committed.
    mutating func drop() {
        _ = rest()
        if phase != .submitted { committed() }
    }

    /// Takes everything that is not submitted, when the listener ends.
    mutating func rest() -> [Fragment] {
        let rest = (phase == .submitted ? [] : batch) + waiting
        batch = []
        waiting = []
        waitingBytes = 0
        return rest
    }
}

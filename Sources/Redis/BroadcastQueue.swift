internal import Domain

/// Broadcasts between Redis and the ledger: one batch is on its way at a time and stays here until it is committed, so
/// that their order holds whatever happens. What came meanwhile is the next batch.
///
/// Decides only.
struct BroadcastQueue {
    private static let countLimit = 1000
    private static let byteLimit = 4 << 20
    /// Before a batch that the ledger could not take is tried again.
    private static let pause = Duration.milliseconds(100)

    private enum Phase: Equatable {
        case resting
        case submitted
        case refused(until: Duration)
    }

    private var phase = Phase.resting
    private var batch: [Fragment] = []
    private var waiting: [Fragment] = []
    private var waitingBytes = 0
    /// Since when the ledger takes nothing.
    private(set) var refusedSince: Duration?

    /// False: leave what comes to Redis, which keeps some megabytes for us before it cuts us off.
    var hasRoom: Bool {
        waiting.count < BroadcastQueue.countLimit && waitingBytes < BroadcastQueue.byteLimit
    }

    /// When `next` has something to try again.
    var retry: Duration? {
        if case .refused(let until) = phase { until } else { nil }
    }

    mutating func add(_ fragment: Fragment, bytes: Int) {
        waiting.append(fragment)
        waitingBytes += bytes
    }

    /// What to submit now.
    mutating func next(at now: Duration) -> [Fragment]? {
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

    /// The ledger has the batch.
    mutating func committed() {
        batch = []
        phase = .resting
        refusedSince = nil
    }

    /// The ledger is busy: the same batch again, later.
    mutating func refused(at now: Duration) {
        phase = .refused(until: now + BroadcastQueue.pause)
        refusedSince = refusedSince ?? now
    }

    /// The ledger will never take the batch; returns how many were in it.
    mutating func discard() -> Int {
        defer { committed() }
        return batch.count
    }

    /// What is not submitted, for the last time.
    mutating func rest() -> [Fragment] {
        let rest = (phase == .submitted ? [] : batch) + waiting
        (batch, waiting, waitingBytes) = ([], [], 0)
        return rest
    }
}

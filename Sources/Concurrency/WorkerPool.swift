/// Threads that share one queue: a job waits for the first thread that is free, never behind one that hangs while
/// another idles.
public final class WorkerPool: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct State {
        var queue = JobQueue()
        var isClosing = false
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let threads: [WorkerThread]

    /// `capacity`: jobs that may wait, beside those that run.
    public init(name: String, threads: Int, capacity: Int) {
        let state = Monitor(State())
        self.state = state
        self.capacity = capacity
        self.threads = (0..<max(1, threads)).map { number in
            WorkerThread(name: "\(name)-\(number)") {
                while let job = WorkerPool.next(state) { job() }
            }
        }
    }

    /// False when as many wait as may, or the pool is closing; then the job will not run.
    public func submit(_ job: @escaping Job) -> Bool {
        state.change(waking: .one) { state in
            guard !state.isClosing, state.queue.count < capacity else { return false }
            state.queue.append(job)
            return true
        }
    }

    /// Jobs that no thread has begun.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// Long jobs, and those that would begin one, look at it: the server is going down.
    public var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Takes no more; what waits is finished.
    public func halt() {
        state.change { $0.isClosing = true }
    }

    /// Finishes what waits and joins the threads. Once only, not from a job.
    public func close() {
        halt()
        for thread in threads { thread.join() }
    }

    /// Nil: there will be no more.
    private static func next(_ state: Monitor<State>) -> Job? {
        state.wait { state -> Job?? in
            if let job = state.queue.removeFirst() { return job }
            return state.isClosing ? .some(nil) : nil
        }
    }
}

/// First in, first out. Taking one never moves the others.
private struct JobQueue {
    private var incoming: [WorkerPool.Job] = []
    /// Older ones, the oldest last.
    private var outgoing: [WorkerPool.Job] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ job: @escaping WorkerPool.Job) {
        incoming.append(job)
    }

    mutating func removeFirst() -> WorkerPool.Job? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}

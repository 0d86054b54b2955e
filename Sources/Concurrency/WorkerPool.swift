/// Threads that share one queue: the first free thread takes the next job, so no job waits behind one that hangs while
/// another thread is idle.
public final class WorkerPool: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct State {
        var queue = JobQueue()
        var isClosing = false
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let threads: [WorkerThread]

    /// `capacity` is the number of jobs that may wait, not counting those that run.
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

    /// Returns false when the queue is full or the pool is closing; then the job will not run.
    public func submit(_ job: @escaping Job) -> Bool {
        state.change(waking: .one) { state in
            guard !state.isClosing, state.queue.count < capacity else { return false }
            state.queue.append(job)
            return true
        }
    }

    /// The number of jobs that no thread has begun.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// True while the server shuts down. Long jobs check it, and so does code that would begin one.
    public var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Accepts no more jobs; those that wait still run.
    public func halt() {
        state.change { $0.isClosing = true }
    }

    /// Finishes the waiting jobs and joins the threads. Call it once only, and not from a job.
    public func close() {
        halt()
        for thread in threads { thread.join() }
    }

    /// Returns nil when the pool is closing and the queue is empty.
    private static func next(_ state: Monitor<State>) -> Job? {
        state.wait { state -> Job?? in
            if let job = state.queue.removeFirst() { return job }
            return state.isClosing ? .some(nil) : nil
        }
    }
}

/// A FIFO queue. Taking a job never moves the others one by one.
private struct JobQueue {
    private var incoming: [WorkerPool.Job] = []
    /// Older jobs, the oldest last.
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

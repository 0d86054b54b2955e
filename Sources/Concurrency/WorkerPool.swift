/// Threads that share one queue: the first free thread takes the next work, so no work waits behind one that hangs while
/// another thread is idle.
public final class WorkerPool: Sendable {
    public typealias Work = @Sendable () -> Void

    private struct State {
        var queue = JobQueue()
        var isClosing = false
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let threads: [WorkerThread]

    /// `capacity` is the number of works that may wait, not counting those that run.
    public init(name: String, threads: Int, capacity: Int) {
        let state = Monitor(State())
        self.state = state
        self.capacity = capacity
        self.threads = (0..<max(1, threads)).map { number in
            WorkerThread(name: "\(name)-\(number)") {
                while let work = WorkerPool.next(state) { work() }
            }
        }
    }

    /// Returns false when the queue is full or the pool is closing; then the work will not run.
    public func submit(_ work: @escaping Work) -> Bool {
        state.change(waking: .one) { state in
            guard !state.isClosing, state.queue.count < capacity else { return false }
            state.queue.append(work)
            return true
        }
    }

    /// The number of works that no thread has begun.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// True while the server shuts down. Long works check it, and so does code that would begin one.
    public var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Accepts no more works; those that wait still run.
    public func halt() {
        state.change { $0.isClosing = true }
    }

    /// Finishes the waiting works and joins the threads. Call it once only, and not from a work.
    public func close() {
        halt()
        for thread in threads { thread.join() }
    }

    /// Returns nil when the pool is closing and the queue is empty.
    private static func next(_ state: Monitor<State>) -> Work? {
        state.wait { state -> Work?? in
            if let work = state.queue.removeFirst() { return work }
            return state.isClosing ? .some(nil) : nil
        }
    }
}

/// A FIFO queue. Taking a work never moves the others one by one.
private struct JobQueue {
    private var incoming: [WorkerPool.Work] = []
    /// Older works, the oldest last.
    private var outgoing: [WorkerPool.Work] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ work: @escaping WorkerPool.Work) {
        incoming.append(work)
    }

    mutating func removeFirst() -> WorkerPool.Work? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}

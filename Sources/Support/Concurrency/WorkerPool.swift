/// Threads that share one queue: the first free thread takes the next task, so no task waits behind one that hangs while
/// another thread is idle.
public final class WorkerPool: Sendable {
    public typealias Task = @Sendable () -> Void

    private struct State {
        var queue = JobQueue()
        var isClosing = false
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let threads: [WorkerThread]

    /// `capacity` is the number of tasks that may wait, not counting those that run.
    public init(name: String, threads: Int, capacity: Int) {
        let state = Monitor(State())
        self.state = state
        self.capacity = capacity
        self.threads = (0..<max(1, threads)).map { number in
            WorkerThread(name: "\(name)-\(number)") {
                while let task = WorkerPool.next(state) { task() }
            }
        }
    }

    /// Returns false when the queue is full or the pool is closing; then the task will not run.
    public func submit(_ task: @escaping Task) -> Bool {
        state.change(waking: .one) { state in
            guard !state.isClosing, state.queue.count < capacity else { return false }
            state.queue.append(task)
            return true
        }
    }

    /// The number of tasks that no thread has begun.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// True while the server shuts down. Long tasks check it, and so does code that would begin one.
    public var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Accepts no more tasks; those that wait still run.
    public func halt() {
        state.change { $0.isClosing = true }
    }

    /// Finishes the waiting tasks and joins the threads. Call it once only, and not from a task.
    public func close() {
        halt()
        for thread in threads { thread.join() }
    }

    /// Returns nil when the pool is closing and the queue is empty.
    ///
    /// It looks once a second, too: before version 2.41 of glibc, a signal can be lost while threads wait
    /// (https://sourceware.org/bugzilla/show_bug.cgi?id=25847), and a webhook would wait for the next one.
    private static func next(_ state: Monitor<State>) -> Task? {
        while true {
            let next = state.wait(timeout: .seconds(1)) { state -> Task?? in
                if let task = state.queue.removeFirst() { return task }
                return state.isClosing ? .some(nil) : nil
            }
            if let next { return next }
        }
    }
}

/// A FIFO queue. Taking a task never moves the others one by one.
private struct JobQueue {
    private var incoming: [WorkerPool.Task] = []
    /// Older tasks, the oldest last.
    private var outgoing: [WorkerPool.Task] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ task: @escaping WorkerPool.Task) {
        incoming.append(task)
    }

    mutating func removeFirst() -> WorkerPool.Task? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}

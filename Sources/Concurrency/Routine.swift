internal import Synchronization

/// A thread that takes its turn again and again until it is stopped.
public final class Routine: Sendable {
    /// Long work looks at it between its steps.
    public final class Stop: Sendable {
        private let raised = Atomic(false)

        public init() {}

        public var isRaised: Bool { raised.load(ordering: .relaxed) }

        public func raise() {
            raised.store(true, ordering: .relaxed)
        }
    }

    private let stop: Stop
    private let waker = Waker()
    private let thread = Mutex<WorkerThread?>(nil)

    public init(_ stop: Stop) {
        self.stop = stop
    }

    /// `turn` says how long to sleep after it. `state` is what turns hand on to each other: the thread's own.
    public func start<State: Sendable>(
        _ name: String,
        _ state: State,
        turn: @escaping @Sendable (inout State) -> Duration
    ) {
        thread.withLock { thread in
            thread = WorkerThread(name: name) { [stop, waker] in
                var state = state
                while !stop.isRaised { waker.wait(timeout: turn(&state)) }
            }
        }
    }

    /// The next turn begins at once.
    public func wake() {
        waker.wake()
    }

    /// No turn begins from now on.
    public func halt() {
        stop.raise()
        waker.wake()
    }

    /// Waits for the end of the turn that runs. Once only.
    public func end() {
        halt()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}

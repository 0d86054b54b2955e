import Synchronization

/// A thread that runs turns in a loop until it is stopped.
public final class Routine: Sendable {
    /// Tells a long turn to stop: the turn checks it between its steps.
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
    private let thread = OwnedThread()

    public init(_ stop: Stop) {
        self.stop = stop
    }

    /// `turn` returns how long to sleep until the next one. Turns pass `state` on; only this thread uses it.
    public func start<State: Sendable>(
        _ name: String,
        state: State,
        turn: @escaping @Sendable (inout State) -> Duration
    ) {
        thread.start(name) { [stop, waker] in
            var state = state
            while !stop.isRaised { waker.wait(timeout: turn(&state)) }
        }
    }

    /// True once no more turns start.
    public var isHalted: Bool { stop.isRaised }

    /// Starts the next turn at once.
    public func wake() {
        waker.wake()
    }

    /// Starts no more turns.
    public func halt() {
        stop.raise()
        waker.wake()
    }

    /// Halts and waits until the current turn has ended. Call it once only.
    public func end() {
        halt()
        thread.join()
    }
}

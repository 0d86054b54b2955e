import Synchronization

/// A thread that runs turns in a loop until it is stopped.
public final class Routine: Sendable {
    private let stop = Atomic(false)
    private let waker = Waker()
    private let thread = OwnedThread()

    public init() {}

    /// `turn` returns how long to sleep until the next one. Turns pass `state` on; only this thread uses it.
    public func start<State: Sendable>(
        _ name: String,
        state: State,
        turn: @escaping @Sendable (inout State) -> Duration
    ) {
        thread.start(name) { [self] in
            var state = state
            while !isHalted { waker.wait(timeout: turn(&state)) }
        }
    }

    /// True once no more turns start. A long turn asks between its steps.
    public var isHalted: Bool { stop.load(ordering: .relaxed) }

    /// Starts the next turn at once.
    public func wake() {
        waker.wake()
    }

    /// Starts no more turns.
    public func halt() {
        stop.store(true, ordering: .relaxed)
        waker.wake()
    }

    /// Halts and waits until the current turn has ended. Call it once only.
    public func end() {
        halt()
        thread.join()
    }
}

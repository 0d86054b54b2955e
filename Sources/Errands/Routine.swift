internal import Domain
internal import Ledger
internal import Runtime
internal import Synchronization

/// A thread that takes its turn again and again until it is stopped.
final class Routine: Sendable {
    /// Long work looks at it between its steps.
    final class Stop: Sendable {
        private let raised = Atomic(false)

        var isRaised: Bool { raised.load(ordering: .relaxed) }

        func raise() {
            raised.store(true, ordering: .relaxed)
        }
    }

    private let stop: Stop
    private let waker = Waker()
    private let thread = Mutex<WorkerThread?>(nil)

    init(_ stop: Stop) {
        self.stop = stop
    }

    /// `turn` says how long to sleep after it. `state` is what turns hand on to each other: the thread's own.
    func start<State: Sendable>(
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
    func wake() {
        waker.wake()
    }

    /// No turn begins from now on.
    func halt() {
        stop.raise()
        waker.wake()
    }

    /// Waits for the end of the turn that runs. Once only.
    func end() {
        halt()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}

/// Asks the ledger, and waits for its answer. Nil when it takes no more questions, or has none.
func answer<Value: Sendable>(
    _ ask: (@escaping @Sendable (Result<Value, LedgerError>) -> Void) -> Bool
) -> Value? {
    let promise = Promise<Value?>()
    return ask { promise.fulfil(try? $0.get()) } ? promise.wait() : nil
}

extension LedgerWriter {
    /// How far somebody has come, by a name; returns when that is committed, or cannot be.
    func remember(_ instant: Instant, as mark: String) {
        let promise = Promise<Bool>()
        if submit(.mark(mark, instant, completion: promise.fulfil)) { _ = promise.wait() }
    }
}

internal import Concurrency
internal import StoreInterface

/// Runs a recovery on a thread of its own: at the start, then once an hour, and sooner after a failure.
final class RecoveryRoutine: Sendable {
    private let stop = Routine.Stop()
    private let routine: Routine

    init() {
        routine = Routine(stop)
    }

    func start(_ name: String, recover: @escaping @Sendable (RecoverySchedule) -> RecoveryReport) {
        routine.start(name, state: RecoverySchedule()) { schedule in
            let report = recover(schedule)
            return schedule.pause(afterFailure: !report.problems.isEmpty, jitter: .random(in: 0..<1))
        }
    }

    /// True when nothing new may be started, on whichever thread.
    var isHalted: Bool { stop.isRaised }

    /// Call it between the steps of a run, on whichever thread.
    func checkHalt() throws(StoreAPIError) {
        guard !isHalted else { throw .unavailable(reason: "this server is shutting down") }
    }

    func halt() {
        routine.halt()
    }

    /// Waits for the running request, and ends runs on other threads too.
    func end() {
        routine.end()
    }
}

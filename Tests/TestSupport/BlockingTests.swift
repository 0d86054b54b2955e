import Support
public import Testing

/// Runs a suite's tests on threads of their own.
///
/// Swift's pool has a thread for each core, and a test that waits for a socket or a process keeps one of them: on two
/// cores the tests would wait in turn, three quarters of the time with nothing to compute. Six keep two cores busy.
///
/// Ends the run when a test takes longer than any does: a thread that waits for ever cannot be cancelled, as `timeLimit`
/// would.
public struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    private static let limit = Duration.seconds(1800)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let watch = Task.detached {
            try await Task.sleep(for: BlockingTests.limit)
            fatalError("\(test.name) has not ended within \(BlockingTests.limit)")
        }
        defer { watch.cancel() }
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// For suites whose tests wait: for sockets, processes, threads or the disk.
    public static var blocking: Self { BlockingTests() }
}

private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private let pool = WorkerPool(name: "test", threads: 6, capacity: .max)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = pool.submit { [executor = asUnownedTaskExecutor()] in job.runSynchronously(on: executor) }
        precondition(isAccepted)
    }
}

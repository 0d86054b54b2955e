import Support
public import Testing

/// Runs a suite's tests on threads of their own.
///
/// Swift's pool has a thread for each core, and a test that waits for a socket or a process keeps one of them: on two
/// cores the tests would wait in turn, three quarters of the time with nothing to compute. Six threads leave a sixth of both
/// cores idle, nine a thirtieth.
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

/// Runs first what came last. In the order of arrival, each test of a serialized suite would wait until all others have run,
/// and a run would end with tests that wait in turn.
private final class ThreadExecutor: TaskExecutor {
    static let shared = {
        let executor = ThreadExecutor()
        for _ in 0..<9 {
            // They live as long as the run.
            _ = WorkerThread(name: "test") { executor.run() }
        }
        return executor
    }()

    private let waiting = Monitor<[UnownedJob]>([])

    private func run() -> Never {
        while true { waiting.wait { $0.popLast() }.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        waiting.change { $0.append(job) }
    }
}

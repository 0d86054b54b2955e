import Support
import Testing

@Suite struct BackoffTests {
    private let backoff = Backoff(first: .seconds(1), most: .seconds(3600))

    struct Delay: Sendable {
        var failures: Int
        var least, most: Double
    }

    @Test(arguments: [
        Delay(failures: 1, least: 0.5, most: 1), Delay(failures: 2, least: 1, most: 2),
        Delay(failures: 5, least: 8, most: 16), Delay(failures: 12, least: 1024, most: 2048),
        Delay(failures: 13, least: 1800, most: 3600), Delay(failures: .max, least: 1800, most: 3600),
        Delay(failures: 0, least: 0.5, most: 1), Delay(failures: .min, least: 0.5, most: 1),
    ]) func doublesUpToItsLimit(_ delay: Delay) {
        #expect(backoff.delay(after: delay.failures, jitter: 0) == .seconds(delay.least))
        #expect(backoff.delay(after: delay.failures) == .seconds(delay.most))
    }

    /// Who works and fails at once is no better; who works for a second is.
    @Test func beginsAgainOnceItHasWorked() {
        var backoff = backoff
        var waits = (0..<3).map { _ in backoff.failed() }
        backoff.worked(for: .milliseconds(999))
        waits.append(backoff.failed())
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        backoff.worked(for: .seconds(1))
        #expect(backoff.failures == 0)
        waits = [backoff.failed(), backoff.failed(jitter: 0)]
        #expect(waits == [.seconds(1), .seconds(1)])
    }
}

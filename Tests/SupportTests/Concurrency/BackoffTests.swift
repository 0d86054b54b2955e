import Support
import TestSupport
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
        let waits = (0..<3).map { _ in backoff.failed() }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4)])
        backoff.works(at: .seconds(7))
        #expect(backoff.failed(at: .milliseconds(7999)) == .seconds(8))
        #expect(backoff.failed(at: .seconds(9)) == .seconds(16), "it did not work meanwhile")
        backoff.works(at: .seconds(10))
        #expect(backoff.failed(at: .seconds(11)) == .seconds(1))
        backoff.works(at: .seconds(12))
        #expect(backoff.failures == 1)
        backoff.works(at: .seconds(13))
        #expect(backoff.failures == 0)
        #expect(backoff.failed(at: .seconds(13), jitter: 0) == .milliseconds(500))
        backoff.reset()
        #expect(backoff.failures == 0)
    }
}

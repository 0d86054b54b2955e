import Domain
import Testing

@testable import Server

@Suite struct JobBackoffTests {
    struct Delay: Sendable {
        var failures: Int
        var least: Int64
        var most: Int64
    }

    @Test(arguments: [
        Delay(failures: 1, least: 500, most: 1000), Delay(failures: 2, least: 1000, most: 2000),
        Delay(failures: 5, least: 8000, most: 16_000), Delay(failures: 12, least: 1_024_000, most: 2_048_000),
        Delay(failures: 13, least: 1_800_000, most: 3_600_000),
        Delay(failures: .max, least: 1_800_000, most: 3_600_000),
        Delay(failures: 0, least: 500, most: 1000), Delay(failures: .min, least: 500, most: 1000),
    ]) func doublesUpToAnHour(_ delay: Delay) {
        #expect(JobBackoff().delay(after: delay.failures, jitter: 0).milliseconds == delay.least)
        #expect(JobBackoff().delay(after: delay.failures, jitter: 1).milliseconds == delay.most)
    }

    @Test func jitterBeyondItsRangeIsBounded() {
        #expect(JobBackoff().delay(after: 1, jitter: -7) == .milliseconds(500))
        #expect(JobBackoff().delay(after: 1, jitter: 7) == .seconds(1))
    }
}

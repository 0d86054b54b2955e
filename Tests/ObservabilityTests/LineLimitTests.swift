import Observability
import Testing

@Suite struct LineLimitTests {
    @Test func oneLineAMinuteStandsForTheOthers() {
        var limit = LineLimit<String>()
        let second: UInt64 = 1_000_000_000
        #expect(limit.admit("a", now: 5 * second) == 1)
        #expect(limit.admit("a", now: 6 * second) == nil)
        #expect(limit.admit("b", now: 6 * second) == 1, "each by itself")
        #expect(limit.admit("a", now: 64 * second) == nil)
        #expect(limit.admit("a", now: 65 * second) == 3, "the two that were held, and itself")
        #expect(limit.admit("a", now: 126 * second) == 1)
    }
}

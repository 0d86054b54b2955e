import Support
import Testing

@Suite struct MonotonicTimeTests {
    struct Case {
        let later, earlier: MonotonicTime
        let difference: UInt64
    }

    /// A thread reads the clock, waits for a lock, and finds under it what a later thread wrote.
    @Test(arguments: [
        Case(later: 7, earlier: 5, difference: 2), Case(later: 5, earlier: 5, difference: 0),
        Case(later: 5, earlier: 7, difference: 0), Case(later: 0, earlier: .max, difference: 0),
        Case(later: .max, earlier: 0, difference: .max),
    ]) func aDifferenceIsNeverNegative(_ example: Case) {
        #expect(example.later - example.earlier == example.difference)
    }

    @Test func aSumEndsWithTheClock() {
        #expect(MonotonicTime.max + 1 == .max)
        #expect(MonotonicTime(nanoseconds: 5) + 2 == 7)
        #expect(MonotonicTime(nanoseconds: 5) + .seconds(2) == 2_000_000_005)
        #expect(MonotonicTime(nanoseconds: 5) + .seconds(-2) == 5)
        #expect(MonotonicTime(nanoseconds: 5) + .seconds(Int64.max) == .max)
    }

    @Test func theTimeToAnEarlierMomentIsZero() {
        #expect(MonotonicTime(nanoseconds: 5).duration(to: 2_000_000_005) == .seconds(2))
        #expect(MonotonicTime.max.duration(to: 5) == .zero)
    }
}

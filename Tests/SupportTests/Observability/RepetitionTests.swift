import Testing

@testable import Support

@Suite struct RepetitionTests {
    @Test func tellsTheFirstAndThenWhatAMinuteBrought() {
        var repetition = Repetition()
        let start = ContinuousClock.now
        #expect(repetition.add(now: start) == 1)
        #expect(repetition.add(2, now: start + .seconds(1)) == nil)
        #expect(repetition.add(now: start + .milliseconds(59_999)) == nil)
        #expect(repetition.add(now: start + Repetition.pause) == 4)
        #expect(repetition.add(now: start + Repetition.pause + .seconds(1)) == nil)
    }
}

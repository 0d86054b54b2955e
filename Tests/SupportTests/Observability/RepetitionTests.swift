import Support
import TestSupport
import Testing

@Suite struct RepetitionTests {
    @Test func tellsTheFirstAndThenWhatAMinuteBrought() {
        var repetition = Repetition()
        #expect(repetition.add(now: .seconds(5)) == 1)
        #expect(repetition.add(2, now: .seconds(6)) == nil)
        #expect(repetition.add(now: .milliseconds(64_999)) == nil)
        #expect(repetition.add(now: .seconds(65)) == 4)
        #expect(repetition.add(now: .seconds(66)) == nil)
        #expect(repetition.add(now: .seconds(126)) == 2)
    }
}

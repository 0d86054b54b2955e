import Support
import Testing

@testable import Commands

/// When rows are posted, and how long one is asked about: with the clock of the test.
@Suite struct ImportPaceTests {
    private static let second = UInt64(1_000_000_000)

    /// All turns that lie before `end`, if rows are always ready.
    private func turns(_ pace: inout ImportPace, from start: MonotonicTime, to end: MonotonicTime) -> [MonotonicTime] {
        var (turns, now) = ([MonotonicTime](), start)
        while true {
            now = pace.turn(at: now)
            guard now < end else { return turns }
            turns.append(now)
        }
    }

    @Test func withoutARateItIsTwenty() throws {
        var words = Arguments(["list.csv"])
        let usual = try Import(&words)
        words = Arguments(["list.csv", "--rate", "7"])
        let slow = try Import(&words)
        #expect(usual.settings.rate == 20 && slow.settings.rate == 7)
    }

    @Test(arguments: [1, 7, Importer.Settings().rate, 1000]) func noSecondHasMoreRows(_ rate: Int) {
        let start = MonotonicTime(nanoseconds: 5 * Self.second)
        var pace = ImportPace(rate: rate)
        let turns = turns(&pace, from: start, to: start + 10 * Self.second)
        #expect((10 * rate...10 * rate + 1).contains(turns.count))
        for (index, first) in turns.enumerated() where index + rate < turns.count {
            // A second later by whole nanoseconds, of which a row has some less than its share.
            #expect(turns[index + rate] - first >= Self.second - UInt64(rate))
        }
    }

    /// Eight rows that ask at one moment do not go at one moment.
    @Test func rowsThatAskTogetherGoOneByOne() {
        var pace = ImportPace(rate: 20)
        let turns = (0..<8).map { _ in pace.turn(at: 1000) }
        #expect(turns == (0..<8).map { MonotonicTime(nanoseconds: 1000 + $0 * 50_000_000) })
    }

    @Test func whatWasNotUsedIsNotMadeUpFor() {
        var pace = ImportPace(rate: 20)
        _ = pace.turn(at: 0)
        let later = MonotonicTime(nanoseconds: 60 * Self.second)
        #expect(turns(&pace, from: later, to: later + Self.second).count == 20)
    }

    @Test func onlyThePausedStoreWaits() {
        var pace = ImportPace(rate: 20)
        pace.pause("apple", until: 3000)
        pace.pause("apple", until: 2000)
        #expect(pace.pause(of: "apple", at: 1000) == 3000)
        #expect(pace.pause(of: "apple", at: 3000) == nil)
        #expect(pace.pause(of: "google", at: 1000) == nil)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// One after the other.
        var silences: [Silence]
        /// After how many of them the row is left; nil if it is waited for.
        var left: Int?
    }

    struct Silence: Sendable {
        var extent: RowVerdict.Extent
        var othersAreAnswered: Bool

        static func times(_ count: Int, _ extent: RowVerdict.Extent, othersAreAnswered: Bool) -> [Silence] {
            Array(repeating: Silence(extent: extent, othersAreAnswered: othersAreAnswered), count: count)
        }
    }

    @Test(arguments: [
        Case(
            testDescription: "a store that is away",
            silences: Silence.times(500, .store, othersAreAnswered: false)
        ),
        Case(
            testDescription: "a server that is away",
            silences: Silence.times(500, .server, othersAreAnswered: true)
        ),
        Case(
            testDescription: "a row of which a well store says nothing",
            silences: Silence.times(5, .store, othersAreAnswered: true),
            left: 3
        ),
        Case(
            testDescription: "a row whose answer cannot be used, alone in its list",
            silences: Silence.times(5, .row, othersAreAnswered: false),
            left: 3
        ),
        Case(
            testDescription: "a store that was away, and comes back",
            silences: Silence.times(100, .store, othersAreAnswered: false)
                + Silence.times(5, .store, othersAreAnswered: true),
            left: 103
        ),
    ]) func isLeft(_ example: Case) {
        var patience = RowPatience()
        let left = example.silences.firstIndex {
            patience.isOver(after: $0.extent, othersAreAnswered: $0.othersAreAnswered)
        }
        #expect(left.map { $0 + 1 } == example.left)
    }
}

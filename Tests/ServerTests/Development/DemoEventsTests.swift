import Domain
import Foundation
import Support
import TestSupport
import Testing

@testable import API
@testable import Server

@Suite(.blocking) struct DemoEventsTests {
    private let entry = Entry(
        position: 7,
        committedAt: Instant(milliseconds: 0),
        notice: Notice(kind: .subscriptionStarted),
        fragments: []
    )

    private func times(_ timing: EventTimings.Timing?) throws -> (age: Double, verified: Double, committed: Double)? {
        struct Line: Decodable {
            struct Times: Decodable { var age, verified, committed: Double }
            var timing: Times?
        }
        let line = Data(DemoRoutes.line(entry, timing: timing, epoch: "e").utf8)
        return try JSONDecoder().decode(Line.self, from: line).timing.map { ($0.age, $0.verified, $0.committed) }
    }

    @Test func tellsEachStage() throws {
        let start = MonotonicTime(nanoseconds: monotonicNanoseconds().nanoseconds - 9_000_000)
        let timing = EventTimings.Timing(received: start, verified: start + 2_000_000, committed: start + 5_000_000)
        let times = try #require(try times(timing))
        #expect(times.verified == 2 && times.committed == 5 && times.age >= 9)
    }

    /// The page asks for an entry once: without its times it would never show them.
    @Test func anEntryThatIsReadIsCommitted() throws {
        let start = MonotonicTime(nanoseconds: monotonicNanoseconds().nanoseconds - 9_000_000)
        let times = try #require(try times(EventTimings.Timing(received: start, verified: start + 2_000_000)))
        #expect(times.committed == times.age && times.committed >= 9)
    }

    /// Another thread took the time before the request's.
    @Test func aStageBeforeTheArrivalTookNoTime() throws {
        let start = monotonicNanoseconds()
        let times = try #require(try times(EventTimings.Timing(received: start, verified: 0, committed: 0)))
        #expect(times.verified == 0 && times.committed == 0)
    }

    @Test func whatWasCommittedEarlierHasNoTimes() throws {
        #expect(try times(nil) == nil)
    }
}

import Support
import TestSupport
import Testing

@testable import API

@Suite(.blocking) struct DemoTimingsTests {
    @Test func tellsEachStage() throws {
        let (timings, start) = (DemoTimings(), monotonicNanoseconds())
        timings.verified("a", receivedAt: start)
        #expect(timings["a"]?.committed == nil)
        timings.committed("a")
        let timing = try #require(timings["a"])
        let committed = try #require(timing.committed)
        #expect(timing.received == start && timing.verified >= start && committed >= timing.verified)
        timings.committed("b")
        #expect(timings["b"] == nil)
    }

    @Test func keepsTheNewestOnly() {
        let timings = DemoTimings()
        for event in 0..<1000 {
            for _ in 0..<2 { timings.verified(String(event), receivedAt: 0) }
        }
        #expect((0..<1000).filter { timings[String($0)] != nil } == Array(800..<1000))
    }
}

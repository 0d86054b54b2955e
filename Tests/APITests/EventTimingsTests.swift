import Domain
import Support
import TestSupport
import Testing

@testable import API

@Suite(.blocking) struct EventTimingsTests {
    private let a = EventTimingsTests.event("a")
    private let b = EventTimingsTests.event("b")

    private static func event(_ id: String, of provider: Provider = .stripe) -> EventKey {
        EventKey(id: id, provider: provider, environment: .production)
    }

    @Test func tellsEachStage() throws {
        let (timings, start) = (EventTimings(), monotonicNanoseconds())
        timings.verified(a, receivedAt: start)
        #expect(timings[a]?.committed == nil)
        timings.published(a, committedAt: start + 2, renderedAt: start + 3)
        timings.written(a, pages: 5, first: start + 4, last: start + 6)
        let timing = try #require(timings[a])
        #expect(timing.received == start && timing.verified >= start && timing.committed == start + 2)
        #expect(timing.rendered == start + 3 && timing.firstPage == start + 4 && timing.lastPage == start + 6)
        #expect(timing.pages == 5 && timing.duplicates == 0)
        timings.published(b, committedAt: start, renderedAt: start)
        #expect(timings[b] == nil)
    }

    /// A store repeats an event that was not answered, and sometimes one that was.
    @Test func aRetryStartsOverAndADuplicateIsCounted() throws {
        let timings = EventTimings()
        timings.verified(a, receivedAt: 1)
        timings.verified(a, receivedAt: 2)
        #expect(timings[a]?.received == 2)
        timings.published(a, committedAt: 3, renderedAt: 4)
        timings.verified(a, receivedAt: 5)
        timings.repeated(a)
        let timing = try #require(timings[a])
        #expect(timing.received == 2 && timing.committed == 3 && timing.duplicates == 1)
    }

    @Test func keepsTheNewestOnly() {
        let timings = EventTimings()
        for event in 0..<1200 {
            for _ in 0..<2 { timings.verified(Self.event(String(event)), receivedAt: 0) }
        }
        #expect((0..<1200).filter { timings[Self.event(String($0))] != nil } == Array(200..<1200))
    }

    /// An id means something within its store alone: two stores may use the same one at the same time.
    @Test func eventsOfTwoStoresWithOneIDAreTwo() {
        let telemetry = WebhookTelemetry(Metrics())
        let (stripe, google) = (Self.event("1"), Self.event("1", of: .google))
        telemetry.verified(stripe, receivedAt: 1)
        telemetry.verified(google, receivedAt: 2)
        #expect(telemetry.receivedAt(stripe) == 1 && telemetry.receivedAt(google) == 2)
        telemetry.answered(stripe, outcome: .duplicate, receivedAt: 1)
        #expect(telemetry.receivedAt(stripe) == nil && telemetry.receivedAt(google) == 2)
        #expect(telemetry.timings[stripe]?.duplicates == 1 && telemetry.timings[google]?.duplicates == 0)
    }

    /// Behind PostgreSQL the store is answered by one thread, and the loops get the entry from another.
    @Test(arguments: [true, false]) func anArrivalLastsUntilTheLoopsHaveTheEvent(isAnsweredFirst: Bool) throws {
        let telemetry = WebhookTelemetry(Metrics())
        let start = monotonicNanoseconds()
        telemetry.verified(a, receivedAt: start)
        if isAnsweredFirst { telemetry.answered(a, outcome: .applied, receivedAt: start) }
        #expect(telemetry.receivedAt(a) == start)
        telemetry.timings.published(a, committedAt: start + 60_000_000_000, renderedAt: start + 60_000_000_001)
        telemetry.published([a, b])
        if !isAnsweredFirst { telemetry.answered(a, outcome: .applied, receivedAt: start) }
        #expect(telemetry.receivedAt(a) == nil)
        let committed = try #require(telemetry.timings[a]?.committed)
        #expect((committed < start + 60_000_000_000) == isAnsweredFirst)
    }

    @Test func whatIsNeverPublishedIsForgotten() {
        let telemetry = WebhookTelemetry(Metrics())
        telemetry.verified(a, receivedAt: 1)
        telemetry.answered(a, outcome: nil, receivedAt: 1)
        #expect(telemetry.receivedAt(a) == nil, "the store sends it again")
        telemetry.verified(b, receivedAt: 1)
        telemetry.answered(b, outcome: .ignored, receivedAt: 1)
        for event in 1..<WebhookTelemetry.limit { telemetry.verified(Self.event(String(event)), receivedAt: 2) }
        #expect(telemetry.receivedAt(b) == 1)
        telemetry.verified(a, receivedAt: 3)
        #expect(telemetry.receivedAt(b) == nil && telemetry.receivedAt(a) == 3)
    }
}

import Support
import Testing

@Suite struct IncidentTests {
    @Test func tellsItsBeginningAndItsEnd() {
        var incident = Incident()
        let second: UInt64 = 1_000_000_000
        #expect(incident.recordSuccess(now: 0) == nil, "nothing began")
        #expect(incident.recordFailure("full", now: 0 + 10 * second) == .began(reason: "full"))
        #expect(incident.recordFailure("full", now: 0 + 11 * second) == nil)
        #expect(incident.recordFailure("fuller", now: 0 + 12 * second) == nil)
        #expect(incident.reason == "fuller" && incident.count == 3)
        #expect(incident.recordSuccess(now: 0 + 15 * second) == .ended(count: 3, seconds: 5))
        #expect(incident.recordSuccess(now: 0 + 16 * second) == nil)
        #expect(incident.recordFailure("again", now: 0 + 17 * second) == .began(reason: "again"))
        #expect(incident.count == 1)
    }

    /// A success in between is not the end.
    @Test func endsWhenItHasBeenCalm() {
        var incident = Incident(calm: .seconds(5))
        let second: UInt64 = 1_000_000_000
        _ = incident.recordFailure("full", now: 0 + 10 * second)
        #expect(incident.recordSuccess(now: 0 + 12 * second) == nil)
        #expect(incident.recordFailure("full", now: 0 + 13 * second) == nil)
        #expect(incident.recordSuccess(now: 0 + 17 * second) == nil && incident.reason == "full")
        #expect(incident.recordSuccess(now: 0 + 18 * second) == .ended(count: 2, seconds: 8))
    }
}

import Support
import TestSupport
import Testing

@Suite struct IncidentTests {
    @Test func tellsItsBeginningAndItsEnd() {
        var incident = Incident()
        #expect(incident.recordSuccess(now: .zero) == nil, "nothing began")
        #expect(incident.recordFailure("full", now: .seconds(10)) == .began(reason: "full"))
        #expect(incident.recordFailure("full", now: .seconds(11)) == nil)
        #expect(incident.recordFailure("fuller", now: .seconds(12)) == nil)
        #expect(incident.reason == "fuller" && incident.count == 3)
        #expect(incident.recordSuccess(now: .seconds(15)) == .ended(count: 3, seconds: 5))
        #expect(incident.recordSuccess(now: .seconds(16)) == nil)
        #expect(incident.recordFailure("again", now: .seconds(17)) == .began(reason: "again"))
        #expect(incident.count == 1)
    }

    /// A success in between is not the end.
    @Test func endsWhenItHasBeenCalm() {
        var incident = Incident(calm: .seconds(5))
        _ = incident.recordFailure("full", now: .seconds(10))
        #expect(incident.recordSuccess(now: .seconds(12)) == nil)
        #expect(incident.recordFailure("full", now: .seconds(13)) == nil)
        #expect(incident.recordSuccess(now: .seconds(17)) == nil && incident.reason == "full")
        #expect(incident.recordSuccess(now: .seconds(18)) == .ended(count: 2, seconds: 8))
    }

    @Test func hasAReasonUntilItIsKnownWhetherItFails() {
        var incident = Incident(reason: "starting")
        #expect(incident.recordSuccess(now: .seconds(1)) == .works)
        #expect(incident.reason == nil)
        incident = Incident(reason: "starting")
        #expect(incident.recordFailure("down", now: .seconds(1)) == .began(reason: "down"))
        #expect(incident.recordSuccess(now: .seconds(3)) == .ended(count: 1, seconds: 2))
    }
}

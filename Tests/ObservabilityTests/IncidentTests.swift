import Observability
import Testing

@Suite struct IncidentTests {
    @Test func tellsItsBeginningAndItsEnd() {
        var incident = Incident()
        let second: UInt64 = 1_000_000_000
        #expect(incident.isOver(now: 0) == nil, "nothing began")
        #expect(incident.met("full", now: 10 * second) == .began(reason: "full"))
        #expect(incident.met("full", now: 11 * second) == nil)
        #expect(incident.met("fuller", now: 12 * second) == nil)
        #expect(incident.reason == "fuller" && incident.count == 3)
        #expect(incident.isOver(now: 15 * second) == .ended(count: 3, seconds: 5))
        #expect(incident.isOver(now: 16 * second) == nil)
        #expect(incident.met("again", now: 17 * second) == .began(reason: "again"))
        #expect(incident.count == 1)
    }

    /// A success in between is not the end.
    @Test func endsWhenItHasBeenCalm() {
        var incident = Incident(calm: .seconds(5))
        let second: UInt64 = 1_000_000_000
        _ = incident.met("full", now: 10 * second)
        #expect(incident.isOver(now: 12 * second) == nil)
        #expect(incident.met("full", now: 13 * second) == nil)
        #expect(incident.isOver(now: 17 * second) == nil && incident.reason == "full")
        #expect(incident.isOver(now: 18 * second) == .ended(count: 2, seconds: 8))
    }
}

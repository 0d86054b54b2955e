import Testing

@testable import Server

@Suite struct TrimScheduleTests {
    @Test func waitsUntilTheCrowdHasGone() {
        var schedule = TrimSchedule()
        #expect([40, 80, 120, 120, 120].map { schedule.isDue(ended: $0) } == [false, false, false, true, false])
    }

    @Test func ignoresAHandfulOfConnections() {
        var schedule = TrimSchedule()
        #expect([0, 63, 63, 64, 64].map { schedule.isDue(ended: $0) } == [false, false, false, false, true])
    }
}

import Testing

@testable import Server

@Suite struct MemoryTrimScheduleTests {
    @Test func waitsUntilTheCrowdHasGone() {
        var schedule = MemoryTrimSchedule()
        #expect([40, 80, 120, 120, 120].map { schedule.isDue(ended: $0) } == [false, false, false, true, false])
    }

    @Test func ignoresAHandfulOfConnections() {
        var schedule = MemoryTrimSchedule()
        #expect([0, 63, 63, 64, 64].map { schedule.isDue(ended: $0) } == [false, false, false, false, true])
    }
}

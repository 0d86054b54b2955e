import Testing

@testable import Server

@Suite struct MemoryTrimScheduleTests {
    @Test func waitsUntilTheCrowdHasGone() {
        var schedule = MemoryTrimSchedule()
        let due = [40, 80, 120, 120, 120].map { schedule.isDue(ended: $0, published: 0) }
        #expect(due == [false, false, false, true, false])
    }

    @Test func ignoresAHandfulOfConnections() {
        var schedule = MemoryTrimSchedule()
        let due = [0, 63, 63, 64, 64].map { schedule.isDue(ended: $0, published: 0) }
        #expect(due == [false, false, false, false, true])
    }

    /// Once it is over, and again when slow pages have read.
    @Test func followsABurst() {
        var schedule = MemoryTrimSchedule()
        let megabytes = [10, 40, 80, 80] + Array(repeating: 80, count: 100)
        let due = megabytes.indices.filter { schedule.isDue(ended: 0, published: megabytes[$0] << 20) }
        #expect(due == [3, 48])
    }

    @Test func ignoresWhatIsPublishedAllTheTime() {
        var schedule = MemoryTrimSchedule()
        let due = (1...100).map { schedule.isDue(ended: 0, published: $0 << 20) }
        #expect(!due.contains(true))
    }
}

import Domain
import Support
import Testing

@Suite struct ClockTests {
    @Test func copiesAreTheSameClock() throws {
        let clock = Clock()
        let copy = clock
        let instant = try #require(Instant(iso8601: "2031-01-31T12:00:00Z"))
        clock.set(to: instant)
        #expect(copy.now() >= instant && copy.now() < instant + .seconds(60))
        #expect(copy.offset == clock.offset)
    }

    @Test func startsWhereItIsTold() throws {
        let instant = try #require(Instant(iso8601: "2001-01-31T12:00:00Z"))
        let now = Clock(startingAt: instant).now()
        #expect(now >= instant && now < instant + .seconds(60))
    }

    @Test(arguments: [Int64.min, .max]) func noInstantTraps(_ milliseconds: Int64) {
        let clock = Clock()
        clock.set(to: Instant(milliseconds: milliseconds))
        _ = clock.now() + clock.offset
    }
}

import Support
import Testing

@testable import API

@Suite struct ExpiredNameThrottleTests {
    private static let second: UInt64 = 1_000_000_000
    private static let token = "IngiLS0=--" + String(repeating: "a", count: 64)
    private static let other = "IngiLS0=--" + String(repeating: "b", count: 64)

    /// A page that loads itself again at once, for a day: 54 times in ten seconds is what a browser did.
    @Test func aPageThatBringsTheSameNameComesToRest() {
        let names = ExpiredNameThrottle()
        var told: [UInt64] = []
        for second in 0..<86_400 as Range<UInt64> where names.mayReload(Self.token, now: 0 + second * Self.second) {
            told.append(second)
        }
        #expect(told == [0, 1, 2, 62, 182, 422, 902, 1862, 3782, 7622, 15302, 30662, 61382])
    }

    @Test func itIsOneADayInTheEnd() {
        let names = ExpiredNameThrottle()
        var told = 0
        for minute in 0..<43_200 as Range<UInt64> where names.mayReload(Self.token, now: 0 + minute * 60 * Self.second)
        {
            told += 1
        }
        #expect((40...45).contains(told), "\(told)")
    }

    @Test func anotherNameIsAnotherPages() {
        let names = ExpiredNameThrottle()
        for _ in 0..<ExpiredNameThrottle.atOnce { #expect(names.mayReload(Self.token, now: 1)) }
        #expect(!names.mayReload(Self.token, now: 2))
        #expect(names.mayReload(Self.other, now: 2))
    }
}

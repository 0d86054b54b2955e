import Support
import Testing

@Suite struct BoundedCacheTests {
    private func cache(through last: Int) -> BoundedCache<Int, Int> {
        var cache = BoundedCache<Int, Int>(capacity: 10)
        for number in 1...last { cache[number] = number }
        return cache
    }

    /// One value too many costs the older half at most, never all.
    @Test(arguments: 1...40) func forgetsTheOldest(_ last: Int) {
        let cache = cache(through: last)
        let known = (1...last).filter { cache[$0] != nil }
        #expect(known == Array((last - known.count + 1)...last))
        #expect((min(last, 6)...10).contains(known.count))
    }

    @Test func whatIsTakenOutIsGone() {
        var cache = cache(through: 8)
        for number in [2, 8] {
            cache[number] = nil
            #expect(cache[number] == nil)
        }
        #expect(cache[7] == 7)
    }
}

internal import Pages
internal import Support
internal import Synchronization

/// Limits how often pages with an expired name are told to reload. Any thread may ask.
///
/// A freshly rendered page brings a fresh name, but a cached page brings the same one and would reload forever. So each
/// name gets three reloads at once, for the tabs that share it, then one after a minute, one after two more, after
/// four, and in the end one a day. Kept in memory, and bounded: only names that we signed count.
final class ExpiredNameThrottle: Sendable {
    private struct Told {
        var times = 0
        var notBefore: UInt64 = 0
    }

    static let atOnce = 3
    private static let minute: UInt64 = 60_000_000_000
    private static let longest = 1440 * minute

    private let told = Mutex(BoundedCache<String, Told>(capacity: 20_000))

    /// Whether to tell the page with this genuine token to reload; a yes is counted. `now` is in monotonic nanoseconds.
    func mayReload(_ token: String, now: UInt64 = monotonicNanoseconds()) -> Bool {
        // The last 64 characters are the signature.
        let key = String(decoding: token.utf8.suffix(64), as: UTF8.self)
        return told.withLock { told in
            var page = told[key] ?? Told()
            guard now >= page.notBefore else { return false }
            page.times += 1
            if page.times >= ExpiredNameThrottle.atOnce {
                let pause = ExpiredNameThrottle.minute << UInt64(min(page.times - ExpiredNameThrottle.atOnce, 11))
                page.notBefore = now + min(pause, ExpiredNameThrottle.longest)
            }
            told[key] = page
            return true
        }
    }
}

internal import Concurrency
internal import Gateway
internal import Synchronization

/// How often pages that came with a name that has ended were told to load themselves again. Any thread may ask.
///
/// A fresh page brings a fresh name; one out of a cache brings the same again, and would load itself for ever. So each name
/// is good for three reloads at once, of tabs that share it, then for one after a minute, after two more, after four, at
/// last one a day. In memory, and bounded: only names that we signed count.
final class EndedNames: Sendable {
    private struct Told {
        var times = 0
        var notBefore: UInt64 = 0
    }

    static let atOnce = 3
    private static let minute: UInt64 = 60_000_000_000
    private static let longest = 1440 * minute

    private let told = Mutex(BoundedMemory<String, Told>(capacity: 20_000))

    /// Whether the page of a genuine token is to be told; counts it as told if so. `now` is in monotonic nanoseconds.
    func mayReload(_ token: String, now: UInt64 = monotonicNanoseconds()) -> Bool {
        // The signature.
        let key = String(decoding: token.utf8.suffix(64), as: UTF8.self)
        return told.withLock { told in
            var page = told[key] ?? Told()
            guard now >= page.notBefore else { return false }
            page.times += 1
            if page.times >= EndedNames.atOnce {
                let pause = EndedNames.minute << UInt64(min(page.times - EndedNames.atOnce, 11))
                page.notBefore = now + min(pause, EndedNames.longest)
            }
            told[key] = page
            return true
        }
    }
}

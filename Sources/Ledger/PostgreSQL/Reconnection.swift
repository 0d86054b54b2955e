internal import Concurrency
internal import Glibc
internal import LedgerInterface
internal import LedgerSQL

/// When a lost server may be asked again: at once, then after 0.1 seconds, doubling up to 5, with jitter, so that the
/// nodes do not all come at the same moment.
struct Reconnection {
    private var failures = 0
    private var due: UInt64 = 0

    /// Throws while it is too early.
    func check() throws(EngineError) {
        guard monotonicNanoseconds() >= due else {
            throw .ofTheLedger(
                "the last attempt to connect failed a moment ago",
                advice: "PostgreSQL cannot be reached"
            )
        }
    }

    mutating func failed() {
        failures += 1
        let most = min(5.0, 0.1 * Double(1 << min(failures, 10)))
        due = monotonicNanoseconds() + UInt64(Double.random(in: 0.5...1) * most * 1e9)
    }

    /// Sleeps until it may be tried again.
    func wait() {
        let now = monotonicNanoseconds()
        usleep(UInt32(clamping: due > now ? (due - now) / 1000 : 20_000))
    }
}

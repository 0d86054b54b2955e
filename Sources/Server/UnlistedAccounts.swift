import Domain
import Support
import Synchronization

/// Counts the events of accounts that a store's settings do not list, and names those accounts once an hour in the log:
/// an endpoint of Stripe Connect hears of every connected account, and somebody may have forgotten to list one. Any
/// thread may use it.
final class UnlistedAccounts: Sendable {
    private let hour = Mutex(UnlistedAccountsHour())
    private let count: Counter
    private let log: Log

    init(_ metrics: Metrics, log: Log) {
        count = metrics.counter(.unlistedAccounts)
        self.log = log
    }

    @Sendable func ignored(_ account: String) {
        count.add()
        let now = monotonicNanoseconds()
        guard let due = hour.withLock({ $0.add(account, now: now) }) else { return }
        log.warning(
            "events of unlisted accounts ignored",
            fields: [
                "count": due.count, "accounts": due.accounts.joined(separator: " "),
                "todo": "list those that sell for you in PAYCAST_STRIPE_ACCOUNTS, and replay",
            ]
        )
    }
}

/// The accounts since the last line. Pure.
struct UnlistedAccountsHour {
    struct Line: Equatable {
        var count = 0
        /// In the order of their first events; the rest of a long list is only counted.
        var accounts: [String] = []
    }

    /// Nanoseconds.
    private static let length: UInt64 = 3_600_000_000_000
    static let limit = 20

    private var line = Line()
    private var writtenAt: UInt64?

    /// Returns what to log, if a line is due: at the first event, and then once an hour.
    mutating func add(_ account: String, now: UInt64) -> Line? {
        line.count += 1
        if line.accounts.count < UnlistedAccountsHour.limit, !line.accounts.contains(where: account.hasSameBytes) {
            line.accounts.append(account)
        }
        if let writtenAt, now < writtenAt + UnlistedAccountsHour.length { return nil }
        defer { line = Line() }
        writtenAt = now
        return line
    }
}

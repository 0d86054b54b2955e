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
        var count: Int
        /// In the order of their first events; the rest of a long list is only counted.
        var accounts: [String]
    }

    static let limit = 20

    private var accounts: [String] = []
    private var repetition = Repetition(pause: .seconds(3600))

    /// Returns what to log, if a line is due: at the first event, and then once an hour.
    mutating func add(_ account: String, now: MonotonicTime) -> Line? {
        if accounts.count < UnlistedAccountsHour.limit, !accounts.contains(where: account.hasSameBytes) {
            accounts.append(account)
        }
        guard let count = repetition.add(now: now) else { return nil }
        defer { accounts = [] }
        return Line(count: count, accounts: accounts)
    }
}

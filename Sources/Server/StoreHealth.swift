import Domain
import Stores
import Support
import Synchronization

/// Which stores' APIs refuse this server's key, according to the last call to each. Any thread may use it.
final class StoreHealth: Sendable {
    private let incidents = Mutex<[Provider: Incident]>([:])
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    /// One sentence per store, for `/ready`.
    var problems: [String] {
        incidents.withLock { incidents in
            incidents.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, incident in
                incident.reason.map { "the API of \(provider.rawValue) refuses this server: \($0)" }
            }
        }
    }

    /// `error` is nil after an answer. An unreachable store says nothing about the key.
    @Sendable func asked(_ provider: Provider, error: StoreAPIError?) {
        let now = monotonicNanoseconds()
        let news: Incident.News? = incidents.withLock { incidents in
            switch error {
            case .unauthorized(let reason): incidents[provider, default: Incident()].recordFailure(reason, now: now)
            case .refused, .unreadable, .notYetKnown, nil: incidents[provider]?.recordSuccess(now: now)
            case .unavailable: nil
            }
        }
        switch news {
        case .began(let reason): log.error("store refuses", fields: ["provider": provider.rawValue, "reason": reason])
        case .ended(let count, let seconds):
            log.info(
                "store accepts again",
                fields: ["provider": provider.rawValue, "count": count, "seconds": seconds]
            )
        case .works, nil: break
        }
    }
}

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

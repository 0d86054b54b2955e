import Domain
import Support
import Testing

@testable import Server

@Suite struct UnlistedAccountsTests {
    private static let hour: UInt64 = 3_600_000_000_000

    @Test func namesThemOnceAnHour() {
        var hour = UnlistedAccountsHour()
        #expect(hour.add("acct_1", now: 5) == .init(count: 1, accounts: ["acct_1"]))
        for account in ["acct_2", "acct_1", "acct_2"] { #expect(hour.add(account, now: 4 + Self.hour) == nil) }
        #expect(hour.add("acct_3", now: 5 + Self.hour) == .init(count: 4, accounts: ["acct_2", "acct_1", "acct_3"]))
        #expect(hour.add("acct_1", now: 6 + Self.hour) == nil)
    }

    /// A platform may connect thousands.
    @Test func namesNoMoreThanALineHolds() {
        var hour = UnlistedAccountsHour()
        _ = hour.add("acct_0", now: 0)
        for index in 1...1000 { _ = hour.add("acct_\(index)", now: 1) }
        let line = hour.add("acct_1001", now: 0 + Self.hour)
        #expect(line?.count == 1001 && line?.accounts.count == UnlistedAccountsHour.limit)
    }

    @Test func countsEachEvent() {
        let lines = Monitor<[String]>([])
        let log = Log(level: .info, format: .text, clock: Clock()) { line in lines.change { $0.append(line) } }
        let metrics = Metrics()
        let accounts = UnlistedAccounts(metrics, log: log)
        for account in ["acct_1", "acct_2"] { accounts.ignored(account) }
        #expect(metrics.page().contains("paycast_unlisted_accounts_total 2\n"))
        #expect(lines.change { $0 }.count == 1)
        #expect(lines.change { $0 }.first?.contains("acct_1") == true)
    }

    @Test func theFeedSaysWhyNothingFollows() {
        var notice = Notice(kind: .providerUnknown)
        notice.outcome = .ignored
        notice.subtype = Event.unlistedAccount
        #expect(notice.reason == "it is of an account that no setting lists")
    }
}

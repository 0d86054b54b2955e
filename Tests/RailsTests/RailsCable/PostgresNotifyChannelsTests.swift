import Domain
import TestSupport
import Testing

@testable import Rails

@Suite(.blocking) struct PostgresNotifyChannelsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var prefix: String?
        var stream: String
        var channel: String
    }

    private static let a63 = String(repeating: "a", count: 63)
    private static let cases = [
        Case(testDescription: "a name", stream: "user:42:paywall", channel: "user:42:paywall"),
        Case(testDescription: "a prefix", prefix: "shop", stream: "a:b", channel: "shop:a:b"),
        Case(testDescription: "quotes", stream: #"a"b'c\"#, channel: #"a"b'c\"#),
        Case(testDescription: "63 bytes", stream: a63, channel: a63),
        Case(
            testDescription: "64 bytes",
            stream: a63 + "a",
            channel: "0098ba824b5c16427bd7a1122a5a442a25ec644d"
        ),
        Case(
            testDescription: "64 bytes with the prefix",
            prefix: "shop",
            stream: String(repeating: "a", count: 59),
            channel: "6f3b038c982653f643292dc44026a1763d12664d"
        ),
        Case(
            testDescription: "64 characters of 2 bytes",
            stream: String(repeating: "é", count: 64),
            channel: "ca8c50669c9466c8abfc852c0e92e3e10d1abe59"
        ),
    ]

    private func channel(_ given: Case) throws -> String {
        let channels = PostgresNotifyChannels(RailsChannels(prefix: given.prefix), token: 1)
        return channels.channel(of: try #require(StreamName(given.stream)))
    }

    @Test(arguments: cases) func isWhatTheAdapterCallsIt(_ given: Case) throws {
        #expect(try channel(given) == given.channel)
    }

    /// Where Debian's packages are installed, the adapter itself says so.
    @Test(.enabled(if: NotifyingApp.isInstalled), arguments: ["", "shop"])
    func adapterAgrees(_ prefix: String) throws {
        let cluster = try PostgresCluster.shared()
        let cases = Self.cases.filter { ($0.prefix ?? "") == prefix }
        let real = try NotifyingApp(database: cluster.url, prefix: prefix).channels(of: cases.map(\.stream))
        #expect(try cases.map { try channel($0) } == real)
    }

    /// Rails 8.1 calls this by its whole name, of which PostgreSQL keeps 63 bytes: those of any user with the same
    /// beginning. So nobody listens to that.
    @Test func nameThatPostgresWouldCutOffIsNotGuessed() throws {
        let long = String(repeating: "é", count: 40)
        let given = Case(testDescription: "", stream: long, channel: "")
        #expect(try channel(given).utf8.count == 40)
        #expect(try !long.hasPrefix(channel(given)))
    }
}

import Domain
import Support
import Testing

@testable import Pages

@Suite struct SentRefreshesTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var refreshes: RefreshPolicy
        var stream = "room:1"
        /// Of entries 6, 7 and 8 after a page that said “rendered at 5” was sent 7.
        var news: [Bool]
        var description: String { name }
    }

    private static let five = MissedSince.cursor(Cursor(epoch: "test", position: 5))
    private static let six = MissedSince.cursor(Cursor(epoch: "test", position: 6))
    private static let time = MissedSince.time(Instant(milliseconds: 5))

    @Test(arguments: [
        Case(name: "the same cursor again", refreshes: .once(five), news: [false, false, true]),
        Case(name: "another cursor", refreshes: .once(six), news: [true, true, true]),
        Case(name: "a time", refreshes: .once(time), news: [true, true, true]),
        Case(name: "another stream", refreshes: .once(five), stream: "room:2", news: [true, true, true]),
        Case(name: "a client that counts", refreshes: .always, news: [true, true, true]),
        Case(name: "no cursor", refreshes: .never, news: [false, false, false]),
    ]) func eachEntryReloadsPagesOfOneCursorOnce(_ example: Case) throws {
        let sent = SentRefreshes()
        sent.recordMissed(7, on: try #require(StreamName("room:1")), for: .once(Self.five))
        let stream = try #require(StreamName(example.stream))
        #expect([6, 7, 8].map { sent.isNews($0, on: stream, for: example.refreshes) } == example.news)
    }

    @Test func anOlderOneTakesNothingBack() throws {
        let (sent, stream) = (SentRefreshes(), try #require(StreamName("room:1")))
        for position in [7, 6] as [Int64] { sent.recordMissed(position, on: stream, for: .once(Self.five)) }
        #expect(!sent.isNews(7, on: stream, for: .once(Self.five)))
    }

    @Test func onlyAPageThatIsSoonBackProvesThatALiveOneArrived() throws {
        let stream = try #require(StreamName("room:1"))
        let late: MonotonicTime = 0 + SentRefreshes.returnNanoseconds
        let soon: MonotonicTime = 0 + (SentRefreshes.returnNanoseconds - 1)
        for (back, isNews) in [(soon, false), (late, true)] {
            let sent = SentRefreshes()
            sent.recordLive(7, on: stream, for: .once(Self.five), now: 0)
            #expect(sent.isNews(8, on: stream, for: .once(Self.five), now: back))
            #expect(sent.isNews(7, on: stream, for: .once(Self.five), now: back) == isNews)
            #expect(sent.isNews(7, on: stream, for: .once(Self.five), now: late) == isNews)
        }
    }

    @Test func theOldestAreForgotten() throws {
        let sent = SentRefreshes()
        let streams = try (0...SentRefreshes.capacity).map { try #require(StreamName("room:\($0)")) }
        for stream in streams { sent.recordMissed(7, on: stream, for: .once(Self.five)) }
        let known = streams.map { !sent.isNews(7, on: $0, for: .once(Self.five)) }
        #expect(known.first == false && known.last == true)
        #expect(known.filter { $0 }.count > SentRefreshes.capacity / 2)
        #expect(known.filter { $0 }.count <= SentRefreshes.capacity)
    }
}

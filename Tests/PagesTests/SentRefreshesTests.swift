import Domain
import Support
import Testing

@testable import Pages

@Suite struct SentRefreshesTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var refreshes: RefreshPolicy
        var stream = "room:1"
        /// After a page that said “rendered at 5” was sent 7, and reloaded.
        var reached: Int64
        var description: String { name }
    }

    private static let five = MissedSince.cursor(Cursor(epoch: "test", position: 5))
    private static let six = MissedSince.cursor(Cursor(epoch: "test", position: 6))
    private static let time = MissedSince.time(Instant(milliseconds: 5))
    private static let once = RefreshPolicy.once(five)

    @Test(arguments: [
        Case(name: "the same cursor again", refreshes: once, reached: 7),
        Case(name: "another cursor", refreshes: .once(six), reached: -1),
        Case(name: "a time", refreshes: .once(time), reached: -1),
        Case(name: "another stream", refreshes: once, stream: "room:2", reached: -1),
        Case(name: "a client that counts", refreshes: .always, reached: -1),
        Case(name: "no cursor", refreshes: .never, reached: .max),
    ]) func eachEntryReloadsAPageOfOneCursorOnce(_ example: Case) throws {
        let sent = SentRefreshes()
        let room = try #require(StreamName("room:1"))
        sent.recordMissed(7, on: room, for: Self.once)
        sent.disconnect(on: room, for: Self.once)
        let stream = try #require(StreamName(example.stream))
        #expect(sent.connect(on: stream, for: example.refreshes) == example.reached)
    }

    /// What happens to pages of one cursor, and what those that connect have had.
    struct Story: Sendable, CustomStringConvertible {
        enum Step: Sendable {
            /// A page connects, and has had refreshes up to this entry. It gets 7 if it has not.
            case connects(reached: Int64)
            case leaves
        }

        var description: String
        var steps: [Step]
    }

    @Test(arguments: [
        Story(
            description: "one page, again and again",
            steps: [
                .connects(reached: -1), .leaves, .connects(reached: 7), .leaves, .connects(reached: 7),
            ]
        ),
        Story(
            description: "a second page beside the first",
            steps: [
                .connects(reached: -1), .connects(reached: -1), .leaves, .leaves, .connects(reached: 7),
                .connects(reached: 7),
            ]
        ),
        Story(
            description: "a second page after the first has reloaded",
            steps: [
                .connects(reached: -1), .leaves, .connects(reached: 7), .connects(reached: -1), .leaves,
                .connects(reached: 7), .connects(reached: -1),
            ]
        ),
    ]) func eachPageOfACursorIsReloaded(_ story: Story) throws {
        let (sent, stream) = (SentRefreshes(), try #require(StreamName("room:1")))
        for step in story.steps {
            switch step {
            case .leaves: sent.disconnect(on: stream, for: Self.once)
            case .connects(let reached):
                #expect(sent.connect(on: stream, for: Self.once) == reached)
                if reached < 7 { sent.recordMissed(7, on: stream, for: Self.once) }
            }
        }
    }

    @Test func severalRefreshesOfOnePageAreOnePage() throws {
        let (sent, stream) = (SentRefreshes(), try #require(StreamName("room:1")))
        for (position, isFirst) in [(6, true), (7, false), (6, false)] as [(Int64, Bool)] {
            sent.recordMissed(position, on: stream, for: Self.once, isFirst: isFirst)
        }
        sent.disconnect(on: stream, for: Self.once)
        #expect(sent.connect(on: stream, for: Self.once) == 7, "an older one takes nothing back")
        #expect(sent.connect(on: stream, for: Self.once) == -1, "another page")
    }

    @Test func onlyAPageThatIsSoonBackProvesThatALiveOneArrived() throws {
        let stream = try #require(StreamName("room:1"))
        let late: MonotonicTime = 0 + SentRefreshes.returnNanoseconds
        let soon: MonotonicTime = 0 + (SentRefreshes.returnNanoseconds - 1)
        for (back, reached) in [(soon, 7), (late, -1)] as [(MonotonicTime, Int64)] {
            let sent = SentRefreshes()
            for _ in 0..<2 { sent.recordLive(7, on: stream, for: Self.once, now: 0) }
            #expect(sent.connect(on: stream, for: Self.once, now: back) == reached)
            #expect(sent.connect(on: stream, for: Self.once, now: late) == reached, "both pages")
        }
    }

    @Test func theOldestAreForgotten() throws {
        let sent = SentRefreshes()
        let streams = try (0...SentRefreshes.capacity).map { try #require(StreamName("room:\($0)")) }
        for stream in streams {
            sent.recordMissed(7, on: stream, for: Self.once)
            sent.disconnect(on: stream, for: Self.once)
        }
        let known = streams.map { sent.connect(on: $0, for: Self.once) == 7 }
        #expect(known.first == false && known.last == true)
        #expect(known.filter { $0 }.count > SentRefreshes.capacity / 2)
        #expect(known.filter { $0 }.count <= SentRefreshes.capacity)
    }
}

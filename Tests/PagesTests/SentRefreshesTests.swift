import Domain
import HTTP
import Support
import Testing

@testable import Pages

@Suite struct SentRefreshesTests {
    private static let five = MissedSince.cursor(Cursor(epoch: "test", position: 5))
    private static let six = MissedSince.cursor(Cursor(epoch: "test", position: 6))
    private static let time = MissedSince.time(Instant(milliseconds: 5))
    private static let once = RefreshPolicy.once(five)

    private let sent = SentRefreshes()

    /// Each page has a socket of its own, unless a test names it.
    private static func page(
        _ number: Int,
        on stream: String = "room:1",
        for refreshes: RefreshPolicy = once,
        from address: String = "192.0.2.1",
        over descriptor: Int? = nil
    ) throws -> SentRefreshes.Page {
        SentRefreshes.Page(
            on: try #require(StreamName(stream)),
            for: refreshes,
            from: IPAddress(address),
            over: SentRefreshes.Line(descriptor: Int32(descriptor ?? number), isShared: descriptor != nil),
            as: SubscriptionID(index: UInt32(number), generation: 0)
        )
    }

    /// The page comes and has missed 7, which it is sent unless it has had it. `ended`: the sockets that have ended without
    /// their loops knowing it yet.
    private func comes(_ page: SentRefreshes.Page, now: MonotonicTime = 0, ended: [Int32] = []) -> Int64 {
        let reached = sent.reached(by: page, missing: 7, now: now) { lines in
            lines.firstIndex { ended.contains($0.descriptor) }
        }
        if reached < 7 { sent.recordMissed(7, at: page) }
        return reached
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var refreshes = once
        var stream = "room:1"
        var address = "192.0.2.1"
        /// After a page that said “rendered at 5” was sent 7, and reloaded.
        var reached: Int64
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "the same cursor again", reached: 7),
        Case(name: "another cursor", refreshes: .once(six), reached: -1),
        Case(name: "a time", refreshes: .once(time), reached: -1),
        Case(name: "another stream", stream: "room:2", reached: -1),
        Case(name: "another address", address: "192.0.2.2", reached: -1),
        Case(name: "a client that counts", refreshes: .always, reached: -1),
        Case(name: "no cursor", refreshes: .never, reached: .max),
    ]) func eachEntryReloadsAPageOnce(_ example: Case) throws {
        let first = try Self.page(1)
        #expect(comes(first) == -1)
        sent.left(first, now: 0)
        let next = try Self.page(2, on: example.stream, for: example.refreshes, from: example.address)
        #expect(comes(next) == example.reached)
    }

    /// What happens to pages that cannot be told apart, and what those that come have had.
    struct Story: Sendable, CustomTestStringConvertible {
        enum Step: Sendable {
            case comes(Int, reached: Int64)
            case leaves(Int)
            /// Its socket has ended, and its loop does not know it yet.
            case ends(Int)
            case waits(UInt64)
        }

        var name: String
        var steps: [Step]
        var testDescription: String { name }
    }

    static let stories = [
        Story(
            name: "one page, again and again",
            steps: [
                .comes(1, reached: -1), .leaves(1), .comes(2, reached: 7), .leaves(2), .comes(3, reached: 7),
            ]
        ),
        Story(
            name: "its end is noticed after its return",
            steps: [
                .comes(1, reached: -1), .ends(1), .comes(2, reached: 7), .leaves(1), .ends(2), .comes(3, reached: 7),
                .comes(4, reached: -1),
            ]
        ),
        Story(
            name: "a second page beside the first",
            steps: [
                .comes(1, reached: -1), .comes(2, reached: -1), .leaves(1), .leaves(2), .comes(3, reached: 7),
                .comes(4, reached: 7), .comes(5, reached: -1),
            ]
        ),
        Story(
            name: "a second page after the first has reloaded",
            steps: [
                .comes(1, reached: -1), .leaves(1), .comes(2, reached: 7), .comes(3, reached: -1), .leaves(3),
                .comes(4, reached: 7),
            ]
        ),
        Story(
            name: "a page that comes long after the first has left",
            steps: [
                .comes(1, reached: -1), .leaves(1), .waits(SentRefreshes.awayNanoseconds), .comes(2, reached: -1),
            ]
        ),
    ]

    @Test(arguments: stories) func eachPageIsReloadedOnce(_ story: Story) throws {
        var now: MonotonicTime = 0
        var ended: [Int32] = []
        for step in story.steps {
            switch step {
            case .comes(let number, let reached):
                #expect(comes(try Self.page(number), now: now, ended: ended) == reached, "\(number)")
            case .leaves(let number): sent.left(try Self.page(number), now: now)
            case .ends(let number): ended.append(Int32(number))
            case .waits(let nanoseconds): now = now + nanoseconds
            }
        }
    }

    /// Its address is another one each time: behind a pool of proxies, for one.
    @Test func noPageReloadsForEver() throws {
        var told = 0
        for number in 1...(2 * SentRefreshes.reloadsOfAll) {
            let page = try Self.page(number, from: "192.0.2.\(number % 250)")
            if comes(page) == -1 { told += 1 }
            sent.left(page, now: 0)
        }
        #expect(told == SentRefreshes.reloadsOfAll)
    }

    /// Two tabs were away, and are rendered under a new cursor when they reload.
    @Test func aPageThatIsRenderedAnewIsNotTakenForOneThatStillComes() throws {
        for hasEnded in [false, true] {
            let stream = "room:\(hasEnded)"
            let first = try Self.page(1, on: stream)
            #expect(comes(first) == -1)
            if !hasEnded { sent.left(first, now: 0) }
            let anew = try Self.page(2, on: stream, for: .once(Self.six))
            sent.came(anew, now: 0) { $0.firstIndex { $0.descriptor == 1 } }
            if hasEnded { sent.left(first, now: 0) }
            #expect(comes(try Self.page(3, on: stream)) == -1, "the second tab")
        }
    }

    /// Streams of one HTTP/2 connection: what says that a page has left came before the one that comes.
    @Test func whatComesOverTheSameLineComesInOrder() throws {
        let pages = try (1...3).map { try Self.page($0, over: 1) }
        #expect(comes(pages[0], ended: [1]) == -1)
        #expect(comes(pages[1], ended: [1]) == -1)
        sent.left(pages[0], now: 0)
        #expect(comes(pages[2], ended: [1]) == 7)
    }

    @Test func severalRefreshesOfOnePageAreOnePage() throws {
        let page = try Self.page(1)
        for position in [6, 7, 6] as [Int64] { sent.recordMissed(position, at: page) }
        sent.left(page, now: 0)
        #expect(comes(try Self.page(2)) == 7, "an older one takes nothing back")
        #expect(comes(try Self.page(3)) == -1, "another page")
    }

    @Test func aNewerOneIsNewsForAll() throws {
        let page = try Self.page(1)
        sent.recordMissed(6, at: page)
        sent.left(page, now: 0)
        #expect(comes(try Self.page(2)) == 6)
        #expect(comes(try Self.page(3)) == -1)
    }

    @Test func onlyAPageThatIsSoonBackProvesThatALiveOneArrived() throws {
        let late: MonotonicTime = 0 + SentRefreshes.returnNanoseconds
        let soon: MonotonicTime = 0 + (SentRefreshes.returnNanoseconds - 1)
        for (number, back, reached) in [(1, soon, 7), (2, late, -1)] as [(Int, MonotonicTime, Int64)] {
            let stream = "room:\(number)"
            let pages = try (0..<2).map { try Self.page($0, on: stream) }
            for page in pages { sent.recordLive(7, at: page, now: 0) }
            sent.left(pages[0], now: 0)
            #expect(comes(try Self.page(2, on: stream), now: back) == reached)
            #expect(comes(try Self.page(3, on: stream), now: back, ended: [1]) == reached, "both pages")
        }
    }

    /// Whatever is mistaken for another page: it does not reload for ever.
    @Test func aPageReloadsAFewTimesAtMost() throws {
        let reached = try (0..<30).map { comes(try Self.page($0)) }
        #expect(reached.filter { $0 == -1 }.count == SentRefreshes.reloads)
        #expect(reached.prefix(SentRefreshes.reloads).allSatisfy { $0 == -1 })
        let newer = try Self.page(99)
        #expect(sent.reached(by: newer, missing: 8, now: 0) { _ in nil } == -1, "that is another entry")
    }

    @Test func theOldestAreForgotten() throws {
        let pages = try (0...SentRefreshes.capacity).map { try Self.page($0, on: "room:\($0)") }
        for page in pages {
            _ = comes(page)
            sent.left(page, now: 0)
        }
        let known = pages.map { sent.reached(by: $0, missing: 7, now: 0) { _ in nil } == 7 }
        #expect(known.first == false && known.last == true)
        #expect(known.filter { $0 }.count > SentRefreshes.capacity / 2)
        #expect(known.filter { $0 }.count <= SentRefreshes.capacity)
    }
}

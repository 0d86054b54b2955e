import Domain
import HTTP
import Pages
import Testing

@testable import Gateway

/// What waits for a page goes out together, and to the byte as it would alone.
@Suite struct UnwrittenMessagesTests {
    private var hub = Hub()
    private let stream: StreamName
    private let other: StreamName

    init() throws {
        stream = try #require(StreamName("x"))
        other = try #require(StreamName("y"))
    }

    private func message(_ text: String, on stream: StreamName? = nil, at position: Int64? = nil) -> Message {
        let part = Part(html: Array(text.utf8), collapseKey: nil)
        return Message(stream: stream ?? self.stream, position: position, parts: [part])
    }

    private mutating func subscribers(_ count: Int, over transport: Transport = .webSocket) -> [Subscriber] {
        (0..<count).map { _ in
            let connection = Connection(
                id: ConnectionID(number: 1),
                link: Nowhere(),
                phase: .reading,
                peer: nil,
                admission: .accept
            )
            let subscriber = Subscriber(
                PageRequest(stream: stream, readCatchUp: { _ in true }),
                as: transport,
                on: connection,
                subscription: hub.subscribe(to: stream),
                openedAt: Instant(milliseconds: 0)
            )
            subscriber.head = Array(#"{"identifier":"x","message":"#.utf8)
            return subscriber
        }
    }

    @Test(arguments: [Transport.eventStream, .webSocket, .feed, .cable, .extendedCable])
    func joinedFramesAreThoseOfEachMessage(_ transport: Transport) throws {
        var suite = self
        let page = try #require(suite.subscribers(1, over: transport).first)
        let contents: [(text: String, cursor: Cursor?)] = [
            ("one", nil), ("two\nlines", Cursor("test-8")), ("three", Cursor("test-9")),
        ]
        let alone = contents.flatMap { content in
            var frames = FrameCache(html: Array(content.text.utf8), cursor: content.cursor)
            return frames.bytes(for: page)
        }
        var joined = FrameCache(html: Array(contents[0].text.utf8), cursor: contents[0].cursor)
        for content in contents.dropFirst() { joined.append(html: Array(content.text.utf8), cursor: content.cursor) }
        #expect(joined.bytes(for: page) == alone)
        #expect(joined.bytes(for: page) == alone, "kept for the next page")
    }

    @Test func eachPageIsWrittenToOnceForEachStream() {
        var suite = self
        let pages = suite.subscribers(3)
        let both = ContiguousArray(pages.prefix(2).map(\.subscription))
        var unwritten = UnwrittenMessages()
        unwritten.add(message("one"), cursor: nil, to: both)
        unwritten.add(message("else", on: other), cursor: nil, to: [pages[2].subscription])
        unwritten.add(message("two", at: 8), cursor: Cursor("test-8"), to: both)
        unwritten.add(message("for nobody"), cursor: nil, to: [])
        var written: [String] = []
        while let id = unwritten.nextPage() {
            guard let page = pages.first(where: { $0.subscription == id }) else { continue }
            let texts = unwritten.messages.map { String(decoding: $0.html, as: UTF8.self) }
            let frames = texts.map { Frame.encode(.text, payload: Array($0.utf8)) }
            #expect(unwritten.frames(for: page).bytes == Array(frames.joined()))
            written.append(texts.joined(separator: "+"))
        }
        #expect(written == ["one+two", "one+two", "else"])
        #expect(unwritten.written == 5)
    }

    /// One page leaves, another falls behind.
    @Test func onlyWhatIsWrittenCounts() {
        var suite = self
        let pages = suite.subscribers(3)
        var unwritten = UnwrittenMessages()
        for text in ["one", "two"] {
            unwritten.add(message(text), cursor: nil, to: ContiguousArray(pages.map(\.subscription)))
        }
        _ = unwritten.nextPage()
        _ = unwritten.frames(for: pages[0])
        while unwritten.nextPage() != nil {}
        #expect(unwritten.written == 2)
    }

    /// A page came in between.
    @Test func messagesForOtherPagesAreNotJoined() {
        var suite = self
        let pages = suite.subscribers(2)
        var unwritten = UnwrittenMessages()
        unwritten.add(message("one"), cursor: nil, to: [pages[0].subscription])
        unwritten.add(message("two"), cursor: nil, to: [pages[0].subscription, pages[1].subscription])
        unwritten.add(message("three"), cursor: nil, to: [pages[0].subscription, pages[1].subscription])
        var written: [Int] = []
        while unwritten.nextPage() != nil { written.append(unwritten.messages.count) }
        #expect(written == [1, 2, 2])
    }

    @Test func takesNothingMoreWhenItIsFullOrBegun() {
        var suite = self
        let page = suite.subscribers(1)[0].subscription
        var unwritten = UnwrittenMessages()
        #expect(unwritten.isOpen && unwritten.isEmpty)
        unwritten.add(message("one"), cursor: nil, to: [page])
        #expect(unwritten.isOpen && !unwritten.isEmpty)
        unwritten.add(message(String(repeating: "x", count: UnwrittenMessages.limit)), cursor: nil, to: [page])
        #expect(!unwritten.isOpen)
        unwritten.clear()
        #expect(unwritten.isOpen && unwritten.isEmpty)
        unwritten.add(message("two"), cursor: nil, to: [page])
        unwritten.close()
        #expect(!unwritten.isOpen)
        #expect(unwritten.nextPage() == page)
        #expect(unwritten.nextPage() == nil)
    }

    /// A connection that ends meanwhile has got all before that.
    @Test func theOldestThatAPageIsOwedIsTold() {
        var suite = self
        let pages = suite.subscribers(3).map(\.subscription)
        let both = ContiguousArray(pages.prefix(2))
        var unwritten = UnwrittenMessages()
        unwritten.add(message("transient"), cursor: nil, to: both)
        for position in [8, 9] as [Int64] { unwritten.add(message("kept", at: position), cursor: nil, to: both) }
        unwritten.add(message("else", on: other, at: 10), cursor: nil, to: [pages[2]])
        unwritten.add(message("later", at: 11), cursor: nil, to: ContiguousArray(pages))
        func owed() -> [Int64?] { pages.map { unwritten.oldest(for: $0, on: stream) } }
        #expect(owed() == [8, 8, 11])
        _ = unwritten.nextPage()
        #expect(owed() == [11, 8, 11])
        for _ in 0..<3 { _ = unwritten.nextPage() }
        #expect(owed() == [nil, 11, 11])
        unwritten.clear()
        #expect(owed() == [nil, nil, nil])
    }

    @Test func theNewestRefreshIsTold() {
        var suite = self
        let page = suite.subscribers(1)[0]
        var unwritten = UnwrittenMessages()
        let ids: ContiguousArray = [page.subscription]
        for position in [8, 9] as [Int64] {
            unwritten.add(Message(stream: stream, position: position, parts: [.refresh]), cursor: nil, to: ids)
        }
        unwritten.add(message("one", at: 10), cursor: nil, to: ids)
        _ = unwritten.nextPage()
        #expect(unwritten.frames(for: page).refresh == 9)
    }
}

/// Frames are not written here.
private final class Nowhere: Link {
    let line = SentRefreshes.Line(descriptor: -1, isShared: false)
    let isBehind = false
    let confirmedBytes: UInt64 = 0

    func write(_ bytes: [UInt8]) -> Bool { false }
    func begin(_ head: ResponseHead, body: [UInt8], date: String, isWhole: Bool) -> Bool { false }
    func finish() {}
    func limitUnsent(to bytes: Int32) {}
}

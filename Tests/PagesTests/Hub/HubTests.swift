import Domain
import TestSupport
import Testing

@testable import Pages

@Suite struct HubTests {
    let stream: StreamName

    init() throws {
        stream = try #require(StreamName("user:1:paywall"))
    }

    private func message(_ text: String, at position: Int64?, key: CollapseKey? = nil) -> Message {
        Message(stream: stream, position: position, parts: [Part(html: Array(text.utf8), collapseKey: key)])
    }

    private func liveSubscription(_ hub: inout Hub) -> SubscriptionID {
        let id = hub.subscribe(to: stream)
        #expect(hub.catchUp(id, through: 0, messages: []) == nil)
        return id
    }

    @Test func handsALiveSubscriptionItsMessageAtOnce() {
        var hub = Hub()
        let id = liveSubscription(&hub)
        #expect(hub.publish(message("one", at: 1)) == Recipients(live: [id], closed: []))
    }

    /// It fell behind between the two, so what comes next waits behind what it was owed.
    @Test func queuesWhatALiveSubscriptionIsNotWritten() {
        var hub = Hub()
        let id = liveSubscription(&hub)
        let first = message("one ", at: 1)
        #expect(hub.publish(first).live == [id])
        let isQueued = hub.queue(first, for: id)
        #expect(isQueued)
        #expect(hub.publish(message("two", at: 2)).live.isEmpty)
        #expect(hub.writable(id) == OutgoingFrame(html: Array("one two".utf8), position: 2, hasMore: false))
        #expect(hub.publish(message("three", at: 3)).live == [id])
        #expect(hub.queued == 2)
    }

    @Test func endsALiveSubscriptionThatIsOwedTooMuch() {
        var hub = Hub(queuedBytes: 100)
        let id = liveSubscription(&hub)
        let messages = [message("one", at: 1), message("two", at: 2)]
        for message in messages { #expect(hub.publish(message).live == [id]) }
        // It is gone by the third.
        let isQueued = (messages + messages.prefix(1)).map { hub.queue($0, for: id) }
        #expect(isQueued == [true, false, true])
        #expect(hub.stream(of: id) == nil)
    }

    @Test(arguments: LookAlike.all) func aPageHearsNothingOfALookAlike(_ pair: LookAlike) throws {
        var hub = Hub()
        let id = hub.subscribe(to: try #require(StreamName(pair.one)))
        _ = hub.catchUp(id, through: 0, messages: [])
        let parts = [Part(html: [1], collapseKey: nil)]
        let other = Message(stream: try #require(StreamName(pair.other)), position: nil, parts: parts)
        #expect(hub.publish(other).live.isEmpty)
    }

    @Test func saysHowFarEachSubscriptionIs() {
        var hub = Hub()
        let (live, slow) = (liveSubscription(&hub), liveSubscription(&hub))
        let late = hub.subscribe(to: stream)
        _ = hub.publish(message("one", at: 3))
        hub.blocked(slow)
        _ = hub.publish(message("two", at: 5))
        hub.advance(to: 9)
        let progress = hub.progress(on: stream)
        #expect(progress.first { $0.subscription == live }?.position == 9)
        let behind = progress.first { $0.subscription == slow }
        #expect(behind?.position == 4 && behind?.waitingBytes == 3 + 64)
        #expect(progress.contains { $0.subscription == late && $0.position == nil })
        #expect(hub.progress(on: .feed("other")).isEmpty)
    }

    @Test func joinsWhatWasMissedAndCollectedWithoutRepeat() {
        var hub = Hub()
        let id = hub.subscribe(to: stream)
        #expect(hub.publish(message("one ", at: 1)).live.isEmpty)
        #expect(hub.publish(message("two ", at: 2)).live.isEmpty)
        let frame = hub.catchUp(id, through: 1, messages: [message("one ", at: 1)])
        #expect(frame == OutgoingFrame(html: Array("one two ".utf8), position: 2, hasMore: false))
        #expect(hub.publish(message("three", at: 3)).live == [id])
    }

    @Test func dropsEntriesThatWereMissedAndReadAlready() {
        var hub = Hub()
        let id = hub.subscribe(to: stream)
        let missed = [message("one", at: 1), message("two", at: 2)]
        #expect(hub.catchUp(id, through: 2, messages: missed)?.position == 2)
        #expect(hub.publish(message("one", at: 1)).live.isEmpty)
        #expect(hub.publish(message("transient", at: nil)).live == [id])
        #expect(hub.publish(message("two", at: 2)).live.isEmpty)
        #expect(hub.publish(message("three", at: 3)).live == [id])
    }

    @Test func tellsOnePageUnlessItHasRead() {
        var hub = Hub(position: 4)
        let news = message("news", at: nil)
        let (live, other) = (liveSubscription(&hub), liveSubscription(&hub))
        #expect(hub.publish(news, to: live, unlessRead: 5) == Recipients(live: [live], closed: []))
        let late = hub.subscribe(to: stream)
        #expect(hub.publish(news, to: late, unlessRead: 5) == nil, "what it missed is being read")
        #expect(hub.catchUp(late, through: 5, messages: []) == nil)
        #expect(hub.publish(news, to: late, unlessRead: 5)?.live.isEmpty == true)
        hub.blocked(other)
        #expect(hub.publish(news, to: other, unlessRead: 5)?.live.isEmpty == true)
        #expect(hub.writable(other)?.html == Array("news".utf8))
        hub.unsubscribe(live)
        #expect(hub.publish(news, to: live, unlessRead: 5)?.live.isEmpty == true)
    }

    @Test func collapsesWhileBlockedAndKeepsCommitOrder() {
        var hub = Hub()
        let id = liveSubscription(&hub)
        hub.blocked(id)
        for (position, key) in [(1, "paywall"), (2, nil), (3, "status"), (4, "paywall")] as [(Int64, CollapseKey?)] {
            #expect(hub.publish(message("\(position) ", at: position, key: key)) == Recipients(live: [], closed: []))
        }
        #expect(hub.writable(id) == OutgoingFrame(html: Array("2 3 4 ".utf8), position: 4, hasMore: false))
        #expect(hub.writable(id) == nil)
        #expect(hub.collapsed == 1)
        #expect(hub.publish(message("5", at: 5)).live == [id])
    }

    @Test func aTransientMessageMakesNoEntrySuperfluous() {
        var hub = Hub()
        let id = liveSubscription(&hub)
        hub.blocked(id)
        _ = hub.publish(message("entry ", at: 1, key: "paywall"))
        _ = hub.publish(message("first ", at: nil, key: "paywall"))
        _ = hub.publish(message("second ", at: nil, key: "paywall"))
        #expect(hub.writable(id) == OutgoingFrame(html: Array("entry second ".utf8), position: 1, hasMore: false))
    }

    @Test func aFrameHoldsWholeMessagesUpToItsLimit() {
        var hub = Hub(frameBytes: 10)
        let id = liveSubscription(&hub)
        hub.blocked(id)
        for position in 1...3 as ClosedRange<Int64> { _ = hub.publish(message("12345", at: position)) }
        _ = hub.publish(message("longer than a frame", at: 4))
        #expect(hub.writable(id) == OutgoingFrame(html: Array("1234512345".utf8), position: 2, hasMore: true))
        #expect(hub.publish(message("5", at: 5)).live.isEmpty)
        #expect(hub.writable(id) == OutgoingFrame(html: Array("12345".utf8), position: 3, hasMore: true))
        #expect(hub.writable(id) == OutgoingFrame(html: Array("longer than a frame".utf8), position: 4, hasMore: true))
        #expect(hub.writable(id) == OutgoingFrame(html: Array("5".utf8), position: 5, hasMore: false))
        #expect(hub.publish(message("6", at: 6)).live == [id])
    }

    private func refresh(_ html: String, at position: Int64?) -> Message {
        Message(
            stream: stream,
            position: position,
            parts: ["a", "b"].map { Part(html: Array(html.utf8), collapseKey: $0, isRefresh: true) }
        )
    }

    @Test func twoRefreshesOfOneFrameAreOne() {
        #expect(refresh("again ", at: 1).html == Array("again ".utf8))
        var hub = Hub()
        let id = hub.subscribe(to: stream)
        for position in [2, 3] as [Int64] { _ = hub.publish(refresh("again ", at: position)) }
        _ = hub.publish(message("state ", at: 4))
        _ = hub.publish(refresh("otherwise ", at: nil))
        let frame = hub.catchUp(id, through: 1, messages: [refresh("again ", at: 1)])
        let html = Array("again state otherwise ".utf8)
        #expect(frame == OutgoingFrame(html: html, position: 4, hasMore: false, refresh: 3))
    }

    @Test func closesASubscriptionWhoseQueueIsFull() {
        var hub = Hub(queuedBytes: 1000)
        let (slow, quick) = (liveSubscription(&hub), liveSubscription(&hub))
        hub.blocked(slow)
        #expect(hub.publish(message(String(repeating: "x", count: 900), at: 1)).closed.isEmpty)
        #expect(hub.publish(message("over the bound", at: 2)) == Recipients(live: [quick], closed: [slow]))
        #expect(hub.writable(slow) == nil)
        #expect(hub.subscriptionCount == 1)
    }

    @Test func emptyFragmentsFillAQueueToo() {
        var hub = Hub(queuedBytes: 1000)
        let id = hub.subscribe(to: stream)
        let closed = (1...100).flatMap { hub.publish(message("", at: Int64($0))).closed as [SubscriptionID] }
        #expect(closed == [id])
    }

    @Test func neverPublishesAPositionTwice() {
        var hub = Hub(position: 5)
        let id = hub.subscribe(to: stream)
        _ = hub.catchUp(id, through: 5, messages: [])
        #expect(hub.publish(message("old", at: 5)) == Recipients(live: [], closed: []))
        #expect(hub.publish(message("new", at: 6)).live == [id])
        #expect(hub.publish(message("new", at: 6)).live.isEmpty)
    }

    @Test func oneEntryMaySpeakToSeveralStreams() throws {
        var hub = Hub()
        let id = liveSubscription(&hub)
        let other = try #require(StreamName("user:2:paywall"))
        _ = hub.publish(Message(stream: other, position: 1, parts: []))
        #expect(hub.publish(message("one", at: 1)).live == [id])
    }

    @Test func forgetsStreamsWithoutSubscribersAndIgnoresStaleIDs() {
        var hub = Hub()
        let id = liveSubscription(&hub)
        let other = liveSubscription(&hub)
        #expect((hub.streamCount, hub.subscriptionCount) == (1, 2))
        hub.unsubscribe(id)
        let reused = liveSubscription(&hub)
        #expect(reused.index == id.index)
        hub.unsubscribe(id)
        hub.blocked(id)
        #expect(hub.writable(id) == nil)
        #expect(Set(hub.publish(message("one", at: 1)).live) == [other, reused])
        hub.unsubscribe(other)
        hub.unsubscribe(reused)
        #expect((hub.streamCount, hub.subscriptionCount) == (0, 0))
        #expect(hub.publish(message("two", at: 2)).live.isEmpty)
    }

    @Test func aBlockedSubscriptionTakesWhatItMissedLater() {
        var hub = Hub()
        let id = hub.subscribe(to: stream)
        hub.blocked(id)
        #expect(hub.catchUp(id, through: 1, messages: [message("one", at: 1)]) == nil)
        #expect(hub.writable(id)?.html == Array("one".utf8))
    }
}

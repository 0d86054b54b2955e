import Domain
import Support
import TestSupport
import Testing

@testable import Rails

@Suite struct BroadcastQueueTests {
    private let fragments: [Fragment]

    init() throws {
        let stream = try #require(StreamName("s"))
        fragments = (0..<2000).map { Fragment(stream: stream, action: "a", content: .markup("\($0)")) }
    }

    private func queue(_ count: Int) -> BroadcastQueue {
        var queue = BroadcastQueue()
        for fragment in fragments.prefix(count) { queue.add(fragment, bytes: 10) }
        return queue
    }

    @Test func oneBatchIsOnItsWayAtATime() {
        var queue = queue(2)
        #expect(queue.next(at: .zero) == Array(fragments[0..<2]))
        queue.add(fragments[2], bytes: 10)
        #expect(queue.next(at: .zero) == nil)
        queue.committed()
        #expect(queue.next(at: .zero) == [fragments[2]])
        queue.committed()
        #expect(queue.next(at: .zero) == nil, "nothing waits")
    }

    @Test func refusedBatchComesAgainBeforeAllOthers() {
        var queue = queue(2)
        #expect(queue.next(at: .zero)?.count == 2)
        queue.refused(at: .seconds(1))
        queue.add(fragments[2], bytes: 10)
        #expect(queue.next(at: .seconds(1)) == nil)
        #expect(queue.retry == .milliseconds(1100))
        #expect(queue.next(at: .milliseconds(1100)) == Array(fragments[0..<2]))
        queue.refused(at: .seconds(2))
        #expect(queue.refusedSince == .seconds(1))
        #expect(queue.next(at: .seconds(3)) == Array(fragments[0..<2]))
        queue.committed()
        #expect(queue.refusedSince == nil)
        #expect(queue.next(at: .seconds(3)) == [fragments[2]])
    }

    /// What waits, and what was refused, are gone; what is on its way is not sent again.
    @Test(arguments: [false, true]) func droppedBroadcastsDoNotComeAgain(_ isRefusedBefore: Bool) {
        var queue = queue(2)
        #expect(queue.next(at: .zero)?.count == 2)
        queue.add(fragments[2], bytes: 10)
        if isRefusedBefore { queue.refused(at: .zero) }
        queue.drop()
        if !isRefusedBefore { queue.refused(at: .zero) }
        #expect(queue.retry == nil && queue.refusedSince == nil)
        #expect(queue.next(at: .seconds(9)) == nil)
        queue.add(fragments[3], bytes: 10)
        #expect(queue.next(at: .seconds(9)) == [fragments[3]])
    }

    @Test func batchThatIsRefusedForGoodIsDroppedAlone() {
        var queue = queue(2)
        #expect(queue.next(at: .zero)?.count == 2)
        queue.add(fragments[2], bytes: 10)
        #expect(queue.discard() == 2)
        #expect(queue.next(at: .zero) == [fragments[2]])
    }

    @Test func hasRoomForACountAndForBytes() {
        #expect(queue(999).hasRoom)
        #expect(!queue(1000).hasRoom)
        var heavy = BroadcastQueue()
        heavy.add(fragments[0], bytes: 4 << 20)
        #expect(!heavy.hasRoom)
        #expect(heavy.next(at: .zero)?.count == 1)
        #expect(heavy.hasRoom)
    }

    @Test func restIsWhatTheLedgerHasNotSeen() {
        var queue = queue(2)
        _ = queue.next(at: .zero)
        queue.add(fragments[2], bytes: 10)
        #expect(queue.rest() == [fragments[2]])
        var refused = self.queue(2)
        _ = refused.next(at: .zero)
        refused.refused(at: .zero)
        refused.add(fragments[2], bytes: 10)
        #expect(refused.rest() == Array(fragments[0..<3]))
    }
}

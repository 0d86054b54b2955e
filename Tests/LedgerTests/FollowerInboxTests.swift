import Domain
import Testing

@testable import Ledger

/// What waits for the follower is bounded.
@Suite struct FollowerInboxTests {
    @Test func positionsAreOne() {
        var inbox = FollowerInbox()
        for position in 1...1_000_000 { inbox.add(.position(Int64(position))) }
        #expect(inbox.position == 1_000_000)
        #expect(inbox.messages.isEmpty)
    }

    @Test func ownEntriesBeyondTheLimitAreReadInstead() {
        var inbox = FollowerInbox()
        inbox.add(committed: entries(1...9_999))
        inbox.add(committed: entries(10_000...10_002))
        #expect(inbox.committed.count == 9_999)
        #expect(inbox.position == 10_002)
    }

    @Test func ownEntriesWithTooManyBytesAreReadInstead() throws {
        let stream = try #require(StreamName("s"))
        let html = String(repeating: "x", count: 512 << 10)
        var inbox = FollowerInbox()
        for position in 1...100 {
            var entry = entries(Int64(position)...Int64(position))[0]
            entry.fragments = [Fragment(stream: stream, action: "append", target: "t", content: .html(html))]
            inbox.add(committed: [entry])
        }
        #expect(inbox.committed.count == FollowerInbox.entryByteLimit / (512 << 10) - 1)
        #expect(inbox.position == 100)
        _ = inbox.take()
        inbox.add(committed: entries(101...101))
        #expect(inbox.committed.count == 1)
    }

    @Test(arguments: [0, 1000, 512 << 10]) func messagesBeyondTheLimitAreMissed(_ bytes: Int) {
        var inbox = FollowerInbox()
        let message = NodeMessage(body: [UInt8](repeating: 0, count: bytes), position: 0)
        for _ in 0...(FollowerInbox.byteLimit / (bytes + 64)) { inbox.add(.message(message)) }
        #expect(inbox.isInterrupted)
        #expect(inbox.messages.count == FollowerInbox.byteLimit / (bytes + 64))
        let taken = inbox.take()
        #expect(!taken.messages.isEmpty && taken.dropped == 1 && inbox.dropped == 0)
        #expect(inbox.isEmpty)
        inbox.add(.message(message))
        #expect(inbox.messages == [message])
    }

    @Test func aNewConnectionMayHaveMissedSomething() {
        var inbox = FollowerInbox()
        inbox.add(.connected)
        #expect(inbox.isInterrupted && inbox.position == .max)
    }

    @Test func whatIsClosedStaysClosed() {
        var inbox = FollowerInbox()
        inbox.isClosed = true
        let taken = inbox.take()
        #expect(taken.isClosed && inbox.isClosed)
    }

    private func entries(_ range: ClosedRange<Int64>) -> [Entry] {
        range.map {
            Entry(position: $0, committedAt: Instant(milliseconds: 0), notice: Notice(kind: .broadcast), fragments: [])
        }
    }
}

import Support
import Testing

@testable import Ledger

/// What waits for the other nodes is bounded in bytes, in time and in bytes a second.
@Suite struct OutgoingMessagesTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func goesAtOnceAndInOrder() {
        var messages = OutgoingMessages()
        #expect(messages.delay(now: 5) == nil)
        for byte: UInt8 in 1...3 { #expect(messages.add([byte], isVital: byte == 2, now: 5) == true) }
        #expect(messages.delay(now: 5) == 0)
        #expect(messages.take(now: 5) == [[1], [2], [3]])
        #expect(messages.delay(now: 5) == nil)
    }

    @Test func aFloodIsSpread() {
        var messages = OutgoingMessages()
        var sent = 0
        var now: MonotonicTime = 0
        for _ in 0..<10_000 {
            // 40 MB/s are offered.
            for _ in 0..<4 { _ = messages.add([UInt8](repeating: 0, count: 10_000), isVital: false, now: now) }
            sent += messages.take(now: now).reduce(0) { $0 + $1.count }
            now += OutgoingMessagesTests.second / 1000
        }
        #expect((38 << 20...42 << 20).contains(sent), "\(sent) bytes in 10 s")
    }

    @Test func whatIsFullTakesOnlyWhatIsVital() {
        var messages = OutgoingMessages()
        let body = [UInt8](repeating: 0, count: NotifyPieces.bodyLimit - 128)
        for _ in 0..<4 { #expect(messages.add(body, isVital: false, now: 0) == true) }
        #expect(messages.add([1], isVital: false, now: 0) == false)
        #expect(messages.add([1], isVital: true, now: 0) == true)
        let long = [UInt8](repeating: 0, count: NotifyPieces.bodyLimit + 1)
        #expect(messages.add(long, isVital: true, now: 0) == false)
    }

    @Test func whatIsOldIsNotSent() {
        var messages = OutgoingMessages()
        _ = messages.add([1], isVital: false, now: 0)
        _ = messages.add([2], isVital: true, now: 0)
        _ = messages.add([3], isVital: false, now: 0)
        _ = messages.add([4], isVital: false, now: 0 + OutgoingMessages.memory)
        #expect(messages.take(now: 0 + OutgoingMessages.memory + 1) == [[2], [4]])
    }

    /// Whoever cannot send for long keeps what is new.
    @Test func whatIsOldMakesRoom() {
        var messages = OutgoingMessages()
        let body = [UInt8](repeating: 0, count: 100_000)
        while messages.add(body, isVital: false, now: 0) {}
        #expect(messages.add(body, isVital: false, now: 0 + OutgoingMessages.memory + 1) == true)
    }

    /// A connection broke while it sent.
    @Test func whatIsVitalIsSentAgain() {
        var messages = OutgoingMessages()
        for byte: UInt8 in 1...4 { _ = messages.add([byte], isVital: byte.isMultiple(of: 2), now: 0) }
        #expect(messages.take(now: 0) == [[1], [2], [3], [4]])
        messages.putBack()
        _ = messages.add([5], isVital: false, now: 0)
        #expect(messages.take(now: 0 + OutgoingMessagesTests.second) == [[2], [4], [5]])
        #expect(messages.take(now: 0 + 2 * OutgoingMessagesTests.second) == [])
        messages.putBack()
        #expect(messages.delay(now: 0) == nil, "what was sent does not wait")
    }

    /// A node that stops waits no longer for its turn.
    @Test func whatIsVitalLeavesAtOnce() {
        var messages = OutgoingMessages()
        _ = messages.add([UInt8](repeating: 0, count: 100_000), isVital: false, now: 0)
        _ = messages.take(now: 0)
        for byte: UInt8 in 1...3 { _ = messages.add([byte], isVital: byte == 2, now: 0) }
        #expect(messages.take(now: 0) == [])
        #expect(messages.takeVital() == [[2]])
        #expect(messages.takeVital() == [])
    }
}

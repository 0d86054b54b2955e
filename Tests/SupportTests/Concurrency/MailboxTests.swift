import Support
import Synchronization
import Testing

@Suite struct MailboxTests {
    @Test func wakesOnceForABurst() {
        let wakes = Counter()
        let mailbox = Mailbox<Int>(capacity: 10) { wakes.add() }
        for number in 1...5 { mailbox.send(number) }
        #expect(wakes.value == 1)
        #expect(mailbox.drain() == [1, 2, 3, 4, 5])
        mailbox.send(6)
        #expect(wakes.value == 2)
    }

    @Test func refusesBeyondItsCapacityAndAfterClosing() {
        let mailbox = Mailbox<Int>(capacity: 1) {}
        #expect(mailbox.send(1))
        #expect(!mailbox.send(2))
        mailbox.close()
        #expect(mailbox.drain() == [1])
        #expect(!mailbox.send(3))
    }

    @Test func countsWhatWaits() {
        let mailbox = Mailbox<Int>(capacity: 2) {}
        #expect(mailbox.count == 0)
        for number in 1...3 { mailbox.send(number) }
        #expect(mailbox.count == 2)
        _ = mailbox.drain()
        #expect(mailbox.count == 0)
    }

    @Test func handsOverBetweenThreads() {
        let waker = Waker()
        let mailbox = Mailbox<Int>(capacity: 100_000) { waker.wake() }
        let senders = (0..<4).map { part in
            WorkerThread(name: "sender") { for number in 0..<1000 { mailbox.send(part * 1000 + number) } }
        }
        var received: [Int] = []
        while received.count < 4000 {
            waker.wait()
            received += mailbox.drain()
        }
        senders.forEach { $0.join() }
        #expect(received.sorted() == Array(0..<4000))
    }
}

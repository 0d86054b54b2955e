import Support
import Synchronization
import TestSupport
import Testing

@Suite(.blocking) struct WorkerPoolTests {
    /// One thread hangs; whatever the turn, the other one takes everything.
    @Test func noJobWaitsBehindOneThatHangs() {
        let pool = WorkerPool(name: "test", threads: 2, capacity: 100)
        let (hangs, ends) = (Promise<Void>(), Promise<Void>())
        #expect(
            pool.submit {
                hangs.fulfil(())
                ends.wait()
            }
        )
        hangs.wait()
        let done = (0..<20).map { _ in Promise<Void>() }
        for promise in done { #expect(pool.submit { promise.fulfil(()) }) }
        for promise in done { promise.wait() }
        ends.fulfil(())
        pool.close()
    }

    @Test func refusesWhatTooManyWaitBefore() {
        let pool = WorkerPool(name: "test", threads: 1, capacity: 2)
        let (hangs, ends) = (Promise<Void>(), Promise<Void>())
        let order = Mutex<[Int]>([])
        #expect(
            pool.submit {
                hangs.fulfil(())
                ends.wait()
            }
        )
        hangs.wait()
        #expect(pool.submit { order.withLock { $0.append(1) } })
        #expect(pool.submit { order.withLock { $0.append(2) } })
        #expect(pool.waiting == 2)
        #expect(!pool.submit { order.withLock { $0.append(3) } })
        ends.fulfil(())
        pool.close()
        #expect(order.withLock { $0 } == [1, 2], "what waits is finished")
        #expect(!pool.submit {}, "and nothing begins after the end")
    }

    @Test func manyThreadsDoEachJobOnce() {
        let pool = WorkerPool(name: "test", threads: 4, capacity: 10_000)
        let sums = (0..<4).map { _ in Counter() }
        let senders = (0..<4).map { part in
            WorkerThread(name: "sender") { for _ in 0..<1000 { _ = pool.submit { sums[part].add() } } }
        }
        senders.forEach { $0.join() }
        pool.close()
        #expect(sums.map(\.value) == [1000, 1000, 1000, 1000])
    }
}

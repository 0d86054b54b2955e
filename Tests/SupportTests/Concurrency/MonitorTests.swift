import Support
import TestSupport
import Testing

@Suite(.blocking) struct MonitorTests {
    @Test func wakesWhoeverWaitsForTheChange() {
        let number = Monitor(0)
        let waiters = (1...3).map { wanted in
            WorkerThread(name: "waiter") { _ = number.wait { $0 >= wanted ? true : nil } }
        }
        for _ in 1...3 { number.change { $0 += 1 } }
        waiters.forEach { $0.join() }
        #expect(number.withLock { $0 } == 3)
    }

    @Test func waitsNoLongerThanItIsTold() {
        let monitor = Monitor(false)
        let nothing: Bool? = monitor.wait(timeout: .milliseconds(20)) { $0 ? true : nil }
        #expect(nothing == nil)
        monitor.change { $0 = true }
        #expect(monitor.wait(timeout: .seconds(Int64.max)) { $0 ? true : nil } == true)
    }

    /// A wake before the sleep counts, and one sleep takes all of them.
    @Test func wakerKeepsOneWake() {
        let waker = Waker()
        waker.wake()
        waker.wake()
        waker.wait()
        let start = monotonicNanoseconds()
        waker.wait(timeout: .milliseconds(20))
        #expect(monotonicNanoseconds() - start >= 20_000_000)
    }
}

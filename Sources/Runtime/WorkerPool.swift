internal import Synchronization

/// Threads for work that takes CPU: each has a mailbox of its own, and jobs go round.
public final class WorkerPool: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct Worker: Sendable {
        let mailbox: Mailbox<Job>
        let thread: WorkerThread
    }

    private let workers: [Worker]
    private let turn = Atomic<Int>(0)

    /// `capacity`: jobs that may wait for each thread.
    public init(name: String, threads: Int, capacity: Int) {
        workers = (0..<max(1, threads)).map { number in
            let waker = Waker()
            let mailbox = Mailbox<Job>(capacity: capacity) { waker.wake() }
            let thread = WorkerThread(name: "\(name)-\(number)") { WorkerPool.run(mailbox, waker) }
            return Worker(mailbox: mailbox, thread: thread)
        }
    }

    /// False when the thread whose turn it is has its mailbox full, or the pool is closed.
    public func submit(_ job: @escaping Job) -> Bool {
        let number = turn.wrappingAdd(1, ordering: .relaxed).newValue
        return workers[(number & .max) % workers.count].mailbox.send(job)
    }

    /// Finishes what waits and joins the threads. Once only, not from a job.
    public func close() {
        for worker in workers { worker.mailbox.close() }
        for worker in workers { worker.thread.join() }
    }

    private static func run(_ mailbox: Mailbox<Job>, _ waker: Waker) {
        while true {
            // In this order: what was sent before the closing is drained after it is seen.
            let isClosing = mailbox.isClosed
            let jobs = mailbox.drain()
            for job in jobs { job() }
            guard jobs.isEmpty else { continue }
            if isClosing { return }
            waker.wait()
        }
    }
}

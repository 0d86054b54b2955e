import CLinux
import Domain
import Glibc
import Support
import Synchronization

/// The loop of one thread: epoll(7) reports which descriptors are ready, and waits until the next tick at most.
///
/// Created, run and ended on that thread; an owner keeps it for as long as it runs.
final class EventLoop {
    private let epoll: Int32
    /// The events of one turn. After a burst, each may be a page that takes all that waits for it, 256 KiB. The kernel begins
    /// the next ones where these end.
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)
    /// The watches whose descriptors are closed at the end of this turn. Until then, an event of this turn may name them.
    private var ended: [DescriptorWatch] = []
    private var isStopped = false
    /// When to stop.
    private var end = MonotonicTime.max

    init() throws(SocketSetupError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .noDescriptors }
    }

    deinit {
        events.deallocate()
        Glibc.close(epoll)
    }

    // MARK: Turns and time

    /// Runs until it is told to stop. Calls `tick` at each `interval`, and `prepare` each time before it asks for events; it
    /// waits for them if that returns true.
    func run(every interval: Duration, tick: () -> Void, prepare: () -> Bool) {
        isStopped = false
        end = .max
        var ticks = LoopTicks(every: interval, from: monotonicNanoseconds())
        while !isStopped {
            let now = monotonicNanoseconds()
            if ticks.areDue(at: now) { tick() }
            if now >= end { stop() }
            let mayWait = prepare()
            closeEnded()
            wait(milliseconds: isStopped || !mayWait ? 0 : ticks.milliseconds(from: now, orUntil: end))
            closeEnded()
        }
    }

    /// Makes `run` return. For the thread of the loop.
    func stop() {
        isStopped = true
    }

    /// Makes `run` return after `delay`. For the thread of the loop.
    func stop(after delay: Duration) {
        end = monotonicNanoseconds() + UInt64(delay.milliseconds) * 1_000_000
    }

    private func wait(milliseconds: Int32) {
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        for event in events.prefix(Int(max(0, count))) {
            guard let watch = event.data.ptr else { continue }
            Unmanaged<DescriptorWatch>.fromOpaque(watch)._withUnsafeGuaranteedRef { $0.isReady(event.events) }
        }
    }

    // MARK: Descriptors

    /// Calls `handler` after each wake. Returns false when the waker cannot be watched.
    func observe(_ waker: LoopWaker, handler: @escaping () -> Void) -> Bool {
        guard let watch = DescriptorWatch(waker.descriptor, on: self, isEdgeTriggered: true) else { return false }
        watch.start { _ in handler() }
        return true
    }

    /// Adds a descriptor or changes what is reported of it (epoll_ctl(2)). Returns false when the kernel refuses.
    @discardableResult
    func control(_ operation: Int32, _ descriptor: Int32, reporting wanted: UInt32, to watch: DescriptorWatch) -> Bool {
        var event = epoll_event()
        event.events = wanted
        event.data.ptr = Unmanaged.passUnretained(watch).toOpaque()
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    /// Before it is closed: a child that is being started may hold a copy for a moment, which would still be reported.
    func remove(_ descriptor: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    func close(_ watch: DescriptorWatch) {
        ended.append(watch)
    }

    private func closeEnded() {
        while !ended.isEmpty {
            let closing = ended
            ended = []
            for watch in closing { watch.close() }
        }
    }
}

/// When a loop's next tick is due. All times are in nanoseconds.
struct LoopTicks {
    private let interval: UInt64
    private var due: MonotonicTime

    init(every interval: Duration, from now: MonotonicTime) {
        self.interval = UInt64(interval.milliseconds) * 1_000_000
        due = now + self.interval
    }

    /// What a stopped process has slept through is not made up for: it would come as one burst.
    mutating func areDue(at now: MonotonicTime) -> Bool {
        guard now >= due else { return false }
        due += interval
        if due <= now { due = now + interval }
        return true
    }

    /// Milliseconds until the next one, or until `end`, rounded up so that nobody wakes too early.
    func milliseconds(from now: MonotonicTime, orUntil end: MonotonicTime) -> Int32 {
        let next = min(due, end)
        return next <= now ? 0 : Int32(clamping: (next - now + 999_999) / 1_000_000)
    }
}

/// Wakes a loop that sleeps, and spares one that will look into its mailbox anyway: while two loops are busy, what they
/// send each other costs neither a `write` nor a `read`.
final class LoopWaker: Sendable {
    private let event: EventDescriptor
    private let isAwake = Atomic(false)

    /// Nil when the process has no descriptor left.
    init?() {
        guard let event = EventDescriptor() else { return nil }
        self.event = event
    }

    /// Watched edge-triggered: each write is reported, so nobody has to read it.
    var descriptor: Int32 { event.descriptor }

    /// Call when something waits in the mailbox, from any thread, outside its lock: either this call sees that the loop
    /// is about to sleep, or the loop sees the message.
    func wakeIfAsleep() {
        if !isAwake.load(ordering: .sequentiallyConsistent) { event.wake() }
    }

    /// Makes the loop take another turn, awake or not.
    func wake() { event.wake() }

    /// On the loop's thread: from now on it looks into the mailbox before it sleeps. Only this thread writes the flag,
    /// so a plain read tells whether a costlier write is needed.
    func awaken() {
        if !isAwake.load(ordering: .relaxed) { isAwake.store(true, ordering: .sequentiallyConsistent) }
    }

    /// On the loop's thread, before its last look into the mailbox.
    func fallAsleep() { isAwake.store(false, ordering: .sequentiallyConsistent) }
}

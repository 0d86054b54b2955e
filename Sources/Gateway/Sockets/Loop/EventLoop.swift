internal import CLinux
internal import Glibc
internal import Support

/// The loop of one thread: epoll(7) reports which descriptors are ready, and waits until the next
/// timer at most.
///
/// Created, run and ended on that thread; an owner keeps it for as long as it runs.
public final class EventLoop {
    private let epoll: Int32
    private var timers = LoopTimers()
    /// The events of one turn.
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 512)
    /// The watches whose descriptors are closed at the end of this turn. Until then, an event of this turn may name them.
    private var ended: [DescriptorWatch] = []
    private var isStopped = false

    public init() throws(SocketSetupError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .noDescriptors }
    }

    deinit {
        events.deallocate()
        Glibc.close(epoll)
    }

    // MARK: Turns and time

    /// Runs until `stop` is called. Calls `prepare` each time before it waits for events.
    public func run(prepare: () -> Void) {
        isStopped = false
        while !isStopped {
            let now = monotonicNanoseconds()
            for action in timers.due(at: now) { action() }
            prepare()
            closeEnded()
            wait(milliseconds: isStopped ? 0 : timers.milliseconds(from: now))
            closeEnded()
        }
    }

    /// Makes `run` return. For the thread of the loop.
    public func stop() {
        isStopped = true
    }

    /// Calls `action` every `interval` microseconds for as long as the timer is kept.
    public func timer(interval: Int64, action: @escaping () -> Void) -> LoopTimer {
        timers.add(interval: UInt64(interval) * 1000, now: monotonicNanoseconds(), action: action)
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
    public func observe(_ waker: LoopWaker, handler: @escaping () -> Void) -> Bool {
        guard let watch = DescriptorWatch(waker.descriptor, on: self, isEdgeTriggered: true) else { return false }
        watch.start { _ in handler() }
        return true
    }

    func add(_ descriptor: Int32, reporting wanted: UInt32, to watch: DescriptorWatch) -> Bool {
        control(EPOLL_CTL_ADD, descriptor, reporting: wanted, to: watch) == 0
    }

    func change(_ descriptor: Int32, reporting wanted: UInt32, to watch: DescriptorWatch) {
        control(EPOLL_CTL_MOD, descriptor, reporting: wanted, to: watch)
    }

    /// Before it is closed: a child that is being started may hold a copy for a moment, which would still be reported.
    func remove(_ descriptor: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    func close(_ watch: DescriptorWatch) {
        ended.append(watch)
    }

    @discardableResult
    private func control(
        _ operation: Int32,
        _ descriptor: Int32,
        reporting wanted: UInt32,
        to watch: DescriptorWatch
    ) -> Int32 {
        var event = epoll_event()
        event.events = wanted
        event.data.ptr = Unmanaged.passUnretained(watch).toOpaque()
        return epoll_ctl(epoll, operation, descriptor, &event)
    }

    private func closeEnded() {
        while !ended.isEmpty {
            let closing = ended
            ended = []
            for watch in closing { watch.close() }
        }
    }
}

internal import Glibc

/// Accepts the connections of one loop. Confined to the loop's thread.
public final class Acceptor {
    private let events: EventLoop
    private let listener: ListeningSocket
    private var spare = SpareDescriptor()
    /// Nil before the start, and once no more connections are accepted.
    private var watch: DescriptorWatch?
    /// Waiting connections can be neither accepted nor dropped.
    private var isPaused = false

    /// Accepts nothing before `start`.
    public init(listener: ListeningSocket, events: EventLoop) {
        self.listener = listener
        self.events = events
    }

    /// Calls `handler` whenever connections wait. Returns false when the loop cannot watch the listener.
    public func start(handler: @escaping () -> Void) -> Bool {
        watch = DescriptorWatch(listener.descriptor, on: events)
        watch?.start { if case .ready = $0 { handler() } }
        return isListening
    }

    /// False before the start, and after the end.
    public var isListening: Bool { watch != nil }

    /// Accepts the connection that waited first.
    public func accept() -> ListeningSocket.Accepted {
        isListening ? listener.accept(sparing: spare) : .nothing
    }

    /// Leaves the waiting connections alone until `resume`.
    public func pause() {
        guard let watch, !isPaused else { return }
        isPaused = true
        watch.report(reading: false, writing: false)
    }

    /// Reports waiting connections again.
    public func resume() {
        guard let watch, isPaused else { return }
        isPaused = false
        spare.reopen()
        watch.report(reading: true, writing: false)
    }

    /// Takes no more connections: from now on the port refuses them.
    public func stop() {
        watch?.end()
        watch = nil
    }
}

/// A descriptor held back for when there are no others: given up for a moment, it lets a connection be accepted and
/// dropped, which would otherwise wake the loop forever. Confined to one thread.
final class SpareDescriptor {
    private var descriptor = SpareDescriptor.open()

    deinit {
        release()
    }

    /// Runs `body` while the descriptor is free. Another thread may be faster to take it.
    func lend<Value>(_ body: () -> Value) -> Value {
        release()
        defer { descriptor = SpareDescriptor.open() }
        return body()
    }

    /// Tries again when there was no descriptor to hold back.
    func reopen() {
        if descriptor < 0 { descriptor = SpareDescriptor.open() }
    }

    private func release() {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func open() -> Int32 { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
}

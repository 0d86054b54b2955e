import CLinux
import Glibc
import HTTP

/// Accepts connections on one loop's thread, and is confined to it.
final class Acceptor {
    private let events: EventLoop
    /// Nil if another loop accepts for this one.
    private let listener: ListeningSocket?
    /// A descriptor held back for when there are no others: given up for a moment, it lets a connection be accepted and
    /// dropped, which would otherwise wake the loop forever. Negative when there was none to hold back.
    private var spare = Acceptor.openSpare()
    /// Nil before the start, and once no more connections are accepted.
    private var watch: DescriptorWatch?
    /// False before the start, and after the end.
    private(set) var isListening = false
    /// Waiting connections can be neither accepted nor dropped.
    private var isPaused = false

    /// Accepts nothing before `start`.
    init(listener: ListeningSocket?, events: EventLoop) {
        self.listener = listener
        self.events = events
    }

    deinit {
        releaseSpare()
    }

    /// Calls `handler` whenever connections wait. Returns false when the loop cannot watch the listener.
    func start(handler: @escaping () -> Void) -> Bool {
        if let listener { watch = DescriptorWatch(listener.descriptor, on: events) }
        watch?.start { if case .ready = $0 { handler() } }
        isListening = listener == nil || watch != nil
        return isListening
    }

    /// The outcome for the connection that waited first.
    enum Accepted {
        /// A descriptor that does not block. Its owner closes it.
        case connection(Int32, peer: IPAddress?)
        /// No connection waits.
        case nothing
        /// There was no descriptor for it, so it was closed: otherwise it would wake the loop forever.
        case dropped
        /// It can be neither accepted nor dropped now and is reported again and again, so it is left for a moment.
        case stuck
    }

    /// Accepts the connection that waited first.
    func accept() -> Accepted {
        guard isListening, let listener else { return .nothing }
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let connection = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(listener.descriptor, $0, &length, flags) }
        }
        if connection >= 0 { return .connection(connection, peer: IPAddress(peer)) }
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .nothing
        case EMFILE, ENFILE: return dropNext(of: listener)
        default: return .stuck
        }
    }

    /// Gives up the spare descriptor for a moment. Another thread may be faster to take it.
    private func dropNext(of listener: ListeningSocket) -> Accepted {
        releaseSpare()
        defer { spare = Acceptor.openSpare() }
        let connection = Glibc.accept(listener.descriptor, nil, nil)
        guard connection >= 0 else { return .stuck }
        close(connection)
        return .dropped
    }

    private func releaseSpare() {
        if spare >= 0 { close(spare) }
    }

    private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    /// Leaves the waiting connections alone until `resume`.
    func pause() {
        guard let watch, !isPaused else { return }
        isPaused = true
        watch.report(reading: false, writing: false)
    }

    /// Reports waiting connections again.
    func resume() {
        guard let watch, isPaused else { return }
        isPaused = false
        if spare < 0 { spare = Acceptor.openSpare() }
        watch.report(reading: true, writing: false)
    }

    /// Takes no more connections: from now on the port refuses them, unless another process holds it.
    func stop() {
        isListening = false
        watch?.end()
        watch = nil
    }
}

/// Accepted connections that wait for the places of others that are leaving.
struct AcceptQueue {
    /// A descriptor that nobody serves yet. Whoever takes it closes it.
    typealias AcceptedSocket = (descriptor: Int32, peer: IPAddress?)

    /// Connections that may wait.
    private static let limit = 16

    private var waiting: [AcceptedSocket] = []
    /// How many connections have ended while their descriptors are still open.
    private var leaving = 0

    /// Whether a connection has ended whose descriptor is still open.
    var isAwaitingClose: Bool { leaving > 0 }

    /// Lets a connection wait while another leaves: one turn later there may be a place for it. Returns false when none
    /// leaves, or too many wait.
    mutating func add(_ descriptor: Int32, from peer: IPAddress?) -> Bool {
        guard isAwaitingClose, waiting.count < AcceptQueue.limit else { return false }
        waiting.append((descriptor, peer))
        return true
    }

    /// A connection has ended, and its descriptor closes at the end of the turn.
    mutating func connectionEnded() {
        leaving += 1
    }

    /// Its descriptor is closed. Returns whether `takeReady` has something now.
    mutating func connectionClosed() -> Bool {
        leaving -= 1
        return !isAwaitingClose && !waiting.isEmpty
    }

    /// Takes the connections that wait, once all that had to leave are gone.
    mutating func takeReady() -> [AcceptedSocket] {
        guard !isAwaitingClose, !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}

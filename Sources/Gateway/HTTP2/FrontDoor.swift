internal import Glibc
internal import HTTP2
internal import Runtime

/// The thread that accepts on a port with TLS: it looks at each ClientHello, speaks HTTP/2 with clients that offer it,
/// and hands all others to the loops as they came.
///
/// A request of HTTP/2 reaches a loop as a connection of HTTP/1.1 over a pair of sockets, so routes, limits, origins,
/// deadlines and pages are the loops' own. Created, run and ended on its own thread; others reach it through its port.
final class FrontDoor {
    /// A connection whose ClientHello has not come.
    struct Greeting {
        var descriptor: Int32
        var peer: IPAddress?
        var place: Census.Place
        var deadline: UInt64
    }

    /// What a descriptor that is watched belongs to.
    enum Guest {
        case greeting(Greeting)
        case connection(HTTP2Connection)
        case stream(HTTP2Stream, of: HTTP2Connection)
    }

    let settings: LoopSettings
    let loops: [LoopPort]
    let census: Census
    let metrics: GatewayMetrics
    let port: FrontDoorPort
    let listener: ListeningSocket
    let context: TLSContext
    var guests: [UInt64: Guest] = [:]
    /// Those that had more to do than one turn allows.
    var busy: Set<UInt64> = []
    private(set) var isListening = true
    private(set) var isDraining = false
    private var stopsAt: UInt64?
    var spareDescriptor = ListeningSocket.spare()
    private var lastTag = FrontDoor.listenerTag
    private var nextLoop = 0
    var nextSweep: UInt64 = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTP2Connection.bufferSize, alignment: 16)

    private static let listenerTag: UInt64 = 0

    /// Nil when OpenSSL makes no context.
    init?(
        settings: LoopSettings,
        identity: ServerIdentity,
        listener: ListeningSocket,
        port: FrontDoorPort,
        loops: [LoopPort],
        census: Census,
        metrics: GatewayMetrics
    ) {
        guard let context = TLSContext(identity) else { return nil }
        (self.settings, self.listener, self.port, self.loops) = (settings, listener, port, loops)
        (self.census, self.metrics, self.context) = (census, metrics, context)
    }

    deinit {
        buffer.deallocate()
        close(spareDescriptor)
    }

    /// Serves until `stop` arrives.
    func run() {
        port.poller.watchListener(listener.descriptor, tag: FrontDoor.listenerTag)
        while !isOver {
            for message in port.take() { take(message) }
            let due = busy
            busy = []
            for tag in due { stirred(tag) }
            for tag in port.poller.wait(milliseconds: busy.isEmpty ? patience : 0) { stirred(tag) }
            sweep()
        }
        stopListening()
        guests = [:]
    }

    /// Milliseconds to sleep at the most.
    private var patience: Int32 { stopsAt != nil ? 10 : guests.isEmpty ? -1 : 250 }

    /// Once stopped, what the loops have answered has a second to go out.
    private var isOver: Bool {
        guard let stopsAt else { return false }
        return guests.isEmpty || monotonicNanoseconds() >= stopsAt
    }

    private func take(_ message: FrontDoorPort.Message) {
        switch message {
        case .identity(let identity): context.security.identity = identity
        case .drain: drain()
        case .stop:
            drain()
            stopsAt = monotonicNanoseconds() + 1_000_000_000
        }
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        stopListening()
        for (tag, guest) in guests {
            switch guest {
            case .greeting: leave(tag)
            case .connection(let connection):
                connection.session.goAway()
                turn(connection)
            case .stream: break
            }
        }
    }

    private func stopListening() {
        guard isListening else { return }
        isListening = false
        close(listener.descriptor)
    }

    private func stirred(_ tag: UInt64) {
        guard tag != FrontDoor.listenerTag else { return accept() }
        switch guests[tag] {
        case .greeting(let greeting): look(at: greeting, tag)
        case .connection(let connection):
            connection.stirred()
            turn(connection)
        case .stream(let stream, let connection): stirred(stream, connection)
        // It left in this very round.
        case nil: break
        }
    }

    func nextTag() -> UInt64 {
        lastTag += 1
        return lastTag
    }

    /// The loops take turns.
    func anyLoop() -> LoopPort {
        nextLoop = (nextLoop + 1) % loops.count
        return loops[nextLoop]
    }
}

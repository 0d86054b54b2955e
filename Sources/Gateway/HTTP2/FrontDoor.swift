internal import CWebSockets
internal import Glibc
internal import HTTP2
internal import Runtime

/// The thread that accepts on a port with TLS: it looks at each ClientHello, speaks HTTP/2 with clients that offer it,
/// and hands all others to the loops as they came.
///
/// A request of HTTP/2 reaches a loop as a connection of HTTP/1.1 over a pair of sockets, so routes, limits, origins,
/// deadlines and pages are the loops' own. Created, run and ended on its own thread; others reach it through its port.
final class FrontDoor {
    /// What a descriptor that is watched belongs to.
    private enum Guest {
        case greeting(Greeting)
        case connection(HTTP2Connection)
        case stream(HTTP2Stream, of: HTTP2Connection)
    }

    let settings: LoopSettings
    let loops: [LoopPort]
    let census: Census
    let metrics: GatewayMetrics
    private let port: FrontDoorPort
    private let listener: ListeningSocket
    private let context: TLSContext
    private var guests: [UInt64: Guest] = [:]
    /// Those that had more to do than one turn allows.
    private var busy: [UInt64] = []
    private var isListening = true
    private var isDraining = false
    private var stopsAt: UInt64?
    private var spareDescriptor = ListeningSocket.spare()
    private var lastTag = FrontDoor.listenerTag
    private var nextLoop = 0
    private var nextSweep: UInt64 = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTP2Connection.bufferSize, alignment: 16)

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

    private func nextTag() -> UInt64 {
        lastTag += 1
        return lastTag
    }

    /// The loops take turns.
    private func anyLoop() -> LoopPort {
        nextLoop = (nextLoop + 1) % loops.count
        return loops[nextLoop]
    }
}

// MARK: - Greetings

extension FrontDoor {
    /// A connection whose ClientHello has not come.
    private struct Greeting {
        var descriptor: Int32
        var peer: IPAddress?
        var place: Census.Place
        var deadline: UInt64
    }

    /// 64 at a time, so that the others get their turn.
    private func accept() {
        for _ in 0..<64 {
            guard isListening, let (descriptor, peer) = listener.accept(sparing: &spareDescriptor) else { return }
            let place = census.enter(peer)
            guard place != .none else {
                metrics.refused.add()
                close(descriptor)
                continue
            }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let seconds = Patience.seconds(.shaking, settings.limits) ?? 0
            let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
            let greeting = Greeting(descriptor: descriptor, peer: peer, place: place, deadline: deadline)
            let tag = nextTag()
            guests[tag] = .greeting(greeting)
            guard port.poller.watch(descriptor, tag: tag) else {
                leave(tag)
                continue
            }
        }
    }

    /// Looks at what has come without taking it: whoever serves the connection reads it again.
    private func look(at greeting: Greeting, _ tag: UInt64) {
        let limit = min(buffer.count, ClientHello.longest)
        let count = recv(greeting.descriptor, buffer.baseAddress, limit, Int32(MSG_PEEK))
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { leave(tag) }
            return
        }
        switch ClientHello.judge(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) {
        case .incomplete where count < limit: break
        case .incomplete, .other:
            guests[tag] = nil
            port.poller.forget(greeting.descriptor)
            anyLoop().send(
                .adopt(Arrival(descriptor: greeting.descriptor, peer: greeting.peer, place: greeting.place))
            )
        case .offersHTTP2: welcome(greeting, tag)
        }
    }

    private func welcome(_ greeting: Greeting, _ tag: UInt64) {
        guard let channel = TLSChannel(context.pointer, descriptor: greeting.descriptor) else { return leave(tag) }
        guard let connection = HTTP2Connection(tag: tag, peer: greeting.peer, channel: channel) else {
            guests[tag] = nil
            return census.leave(greeting.peer)
        }
        // The kernel gives it up when nothing that was sent has been acknowledged for so long (tcp(7)).
        var milliseconds = LoopSettings.deadPeerSeconds * 1000
        setsockopt(greeting.descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
        guests[tag] = .connection(connection)
        metrics.http2Connections.add(1)
        turn(connection)
    }

    private func leave(_ tag: UInt64) {
        guard case .greeting(let greeting) = guests.removeValue(forKey: tag) else { return }
        close(greeting.descriptor)
        census.leave(greeting.peer)
    }
}

// MARK: - Connections and streams

extension FrontDoor {
    private func turn(_ connection: HTTP2Connection) {
        switch connection.turn(buffer, { handle($0, on: connection) }) {
        case .waits: break
        case .hasMore: busy.append(connection.tag)
        case .over: end(connection)
        }
    }

    /// The client goes, and with it all its requests: their loops see it at once.
    private func end(_ connection: HTTP2Connection) {
        guard guests.removeValue(forKey: connection.tag) != nil else { return }
        if connection.isAbusive { metrics.http2Abusive.add() }
        for id in connection.open.keys { remove(id, of: connection) }
        census.leave(connection.peer)
        metrics.http2Connections.add(-1)
    }

    private func handle(_ events: [SessionEvent], on connection: HTTP2Connection) {
        for event in events {
            switch event {
            case .request(let id, let head, let isHead):
                if !open(id, head, isHead: isHead, on: connection) { connection.session.reset(id, .refused) }
            case .body(let id, let bytes):
                let count = connection.open[id].map { $0.send(bytes) } ?? bytes.count
                connection.session.consume(id, count)
            case .closed(let id): remove(id, of: connection)
            }
        }
    }

    /// Each is counted as the connection that it is to its loop, and for our end of the pair. False: there is no room.
    private func open(_ id: Int32, _ head: [UInt8], isHead: Bool, on connection: HTTP2Connection) -> Bool {
        guard !isDraining, connection.open.count < ServerSession.streamLimit else { return false }
        guard census.enter(nil) != .none else { return false }
        let place = census.enter(connection.peer)
        guard place != .none else {
            census.leave(nil)
            metrics.refused.add()
            return false
        }
        var pair: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &pair) == 0 else {
            census.leave(nil)
            census.leave(connection.peer)
            return false
        }
        // What may wait between a loop and a slow client; the kernel doubles it.
        var size: Int32 = 32 << 10
        for descriptor in pair { setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4) }
        let stream = HTTP2Stream(id: id, tag: nextTag(), descriptor: pair[0], head: head, isHead: isHead)
        connection.add(stream)
        guests[stream.tag] = .stream(stream, of: connection)
        port.poller.watch(pair[0], tag: stream.tag)
        metrics.http2Streams.add(1)
        _ = stream.send()
        anyLoop().send(
            .adopt(Arrival(descriptor: pair[1], peer: connection.peer, place: place, taken: stream.taken))
        )
        return true
    }

    private func remove(_ id: Int32, of connection: HTTP2Connection) {
        guard let stream = connection.remove(id) else { return }
        guests[stream.tag] = nil
        census.leave(nil)
        metrics.http2Streams.add(-1)
    }

    private func stirred(_ stream: HTTP2Stream, _ connection: HTTP2Connection) {
        connection.session.consume(stream.id, stream.send())
        switch stream.stirred(connection.session) {
        case .nothing: break
        case .ready, .resumed: turn(connection)
        case .broken:
            connection.session.reset(stream.id, .internalError)
            turn(connection)
        }
    }

    /// Once a second: whose time is up?
    private func sweep() {
        let now = monotonicNanoseconds()
        guard now >= nextSweep else { return }
        nextSweep = now + 1_000_000_000
        for (tag, guest) in guests {
            switch guest {
            case .greeting(let greeting):
                if greeting.deadline <= now { leave(tag) }
            case .connection(let connection):
                guard let occupation = connection.overdue(at: now, settings.limits) else { continue }
                metrics.overdue(occupation).add()
                end(connection)
            case .stream(let stream, let connection):
                guard stream.isStalled(at: now, seconds: settings.limits.writeSeconds) else { continue }
                metrics.slow.add()
                connection.session.reset(stream.id, .cancelled)
                turn(connection)
            }
        }
    }
}

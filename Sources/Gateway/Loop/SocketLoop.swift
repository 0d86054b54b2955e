internal import CWebSockets
internal import Domain
internal import Glibc
internal import Hub
internal import Runtime

/// One thread with one libwebsockets context: all sockets of that thread, and the hub that knows who follows what.
///
/// Created, run and ended on its own thread; other threads reach it through its port only. Everything here runs to
/// its end without blocking.
final class SocketLoop {
    let settings: LoopSettings
    let port: LoopPort
    /// The other loops of this gateway.
    let peers: [LoopPort]
    let handler: any RequestHandler
    let metrics: GatewayMetrics
    /// Shared by all loops.
    let sessions: CableSessions
    let gate = RequestGate()
    let census: Census
    let hangups = HangupWatch()
    /// Nil without TLS.
    let security: LoopSecurity?

    var hub: Hub
    /// Indexed by a subscription's place in the hub's slab.
    var seats: ContiguousArray<Seat?> = []
    /// All that are open.
    var connections: [ConnectionID: Connection] = [:]
    /// Heads of event streams whose missed messages are still being read.
    var openings: [ConnectionID: String] = [:]
    /// The feeds that somebody follows, and who follows which.
    var feeds: [StreamName: FeedFilter] = [:]
    var followed: [ConnectionID: StreamName] = [:]
    var wheel = HeartbeatWheel<ConnectionID>(period: LoopSettings.heartbeatTicks)
    var pings = HeartbeatWheel<ConnectionID>(period: LoopSettings.pingTicks)
    /// Connections that are no page, or a page that is behind: each has a deadline.
    var watched = HeartbeatWheel<ConnectionID>(period: LoopSettings.watchTicks)
    var expiries = ExpiryWheel()
    var draining: Draining?
    var refreshing = Spread<StreamName>([])
    /// WebSockets that have been sent a close frame, oldest first, and the tick at which we stop waiting for theirs.
    var partings: [(id: ConnectionID, tick: Int)] = []
    var now = 0
    /// What the metrics know of the hub.
    var reported = (collapsed: 0, streams: 0)
    private var nextConnection: UInt64 = 0
    /// Nil when the front door accepts.
    private let listener: ListeningSocket?
    private var spareDescriptor = ListeningSocket.spare()
    private(set) var context: OpaquePointer?
    private var vhost: OpaquePointer?
    /// The listener as lws sees it; nil once we accept no more.
    private var acceptor: Socket?
    private var timer: LoopTimer?
    /// Ours rather than lws', so that it can be stopped. Never freed: lws' handles stay in it.
    private let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    private var stopsAt: Int?

    init(
        settings: LoopSettings,
        listener: ListeningSocket?,
        port: LoopPort,
        peers: [LoopPort],
        handler: any RequestHandler,
        metrics: GatewayMetrics,
        census: Census,
        sessions: CableSessions,
        position: Int64
    ) {
        self.settings = settings
        self.census = census
        security = settings.identity.map(LoopSecurity.init)
        self.listener = listener
        self.port = port
        self.peers = peers
        self.handler = handler
        self.metrics = metrics
        self.sessions = sessions
        hub = Hub(limits: Hub.Limits(queuedBytes: settings.limits.queuedBytes), position: position)
    }

    /// Serves until `stop` arrives. `started` learns whether lws is ready.
    func run(started: (Bool) -> Void) {
        guard let context = createContext(), let vhost = lws_get_vhost_by_name(context, "default") else {
            return started(false)
        }
        (self.context, self.vhost) = (context, vhost)
        guard listen(on: vhost) else { return started(false) }
        timer = LoopTimer(context: context, interval: LoopSettings.tickMicroseconds) { [unowned self] in
            tick()
            closeOverdue()
            report()
            endWhenStopped()
        }
        port.connect(context)
        started(true)
        uv_run(uv, UV_RUN_DEFAULT)
        // lws closes its wake descriptor twice when a context is destroyed (vhost.c:998, libuv.c:441), and by then the
        // number may be another thread's. So the context, without connections by now, is left to the process' end.
        timer = nil
        Glibc.close(spareDescriptor)
        for case .adopt(let arrival) in port.drain() { turnAway(arrival) }
    }

    private func createContext() -> OpaquePointer? {
        LWSLog.silence()
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        info.pt_serv_buf_size = 64 << 10
        info.max_http_header_data = UInt16(Limits.headerBytes)
        // Each connection holds one until its first request is whole: whoever comes when all are held has to wait.
        info.max_http_header_pool = 4096
        // Nets below our own deadlines (`closeOverdue`): lws's start again with each byte of a body.
        info.timeout_secs = UInt32(5 + max(settings.limits.headerSeconds, settings.limits.bodySeconds))
        // From the connect on. A TLS handshake has no deadline of ours, and each that stalls holds 50 KB.
        let header = settings.limits.headerSeconds
        info.timeout_secs_ah_idle = UInt32(security == nil ? 5 + header : min(10, header))
        info.keepalive_timeout = Int32(5 + settings.limits.idleSeconds)
        security?.prepare(&info)
        info.user = Unmanaged.passUnretained(self).toOpaque()
        guard uv_loop_init(uv) == 0 else { return nil }
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(uv)]
        return LoopProtocols.with { protocols, retry in
            info.protocols = protocols
            info.retry_and_idle_policy = retry
            return loops.withUnsafeMutableBufferPointer {
                info.foreign_loops = $0.baseAddress
                return lws_create_context(&info)
            }
        }
    }

    private func listen(on vhost: OpaquePointer) -> Bool {
        guard let listener else { return true }
        var descriptor = lws_sock_file_fd_type()
        descriptor.filefd = listener.descriptor
        let wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, LoopProtocols.name, nil)
        acceptor = wsi.map { Socket(wsi: $0) }
        return wsi != nil
    }

    /// The listener is readable: lws takes over what waits, 64 at a time so that the pages get their turn.
    func accept() {
        for _ in 0..<64 {
            guard let (descriptor, peer) = listener?.accept(sparing: &spareDescriptor) else { return }
            let place = census.enter(peer)
            guard place != .none else {
                metrics.refused.add()
                Glibc.close(descriptor)
                continue
            }
            // lws closes the descriptor itself when it cannot adopt it.
            guard let wsi = lws_adopt_socket_vhost(vhost, descriptor) else {
                census.leave(peer)
                continue
            }
            register(Socket(wsi: wsi), peer: peer, place: place)
        }
    }

    /// What the front door hands over: a connection before its handshake, or a stream of HTTP/2 in the clear.
    private func adopt(_ arrival: Arrival) {
        guard stopsAt == nil else { return turnAway(arrival) }
        var descriptor = lws_sock_file_fd_type()
        descriptor.sockfd = arrival.descriptor
        let isEncrypted = arrival.taken == nil
        let kind = LWS_ADOPT_SOCKET.rawValue | LWS_ADOPT_HTTP.rawValue
        let type = lws_adoption_type(rawValue: isEncrypted ? kind | LWS_ADOPT_ALLOW_SSL.rawValue : kind)
        guard let wsi = lws_adopt_descriptor_vhost(vhost, type, descriptor, nil, nil) else {
            return census.leave(arrival.peer)
        }
        register(Socket(wsi: wsi), peer: arrival.peer, place: arrival.place).taken = arrival.taken
    }

    private func turnAway(_ arrival: Arrival) {
        Glibc.close(arrival.descriptor)
        census.leave(arrival.peer)
    }

    /// lws reads the same connection again, but as bytes; nil when there is no descriptor left.
    func adoptRaw(_ descriptor: Int32) -> Socket? {
        let copy = Glibc.fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        var adopted = lws_sock_file_fd_type()
        adopted.sockfd = copy
        return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_SOCKET, adopted, LoopProtocols.name, nil).map {
            Socket(wsi: $0)
        }
    }

    /// Takes no more connections: from now on the port refuses them.
    func stopListening() {
        acceptor?.kill()
        acceptor = nil
    }

    /// The connection of a socket.
    func connection(of socket: Socket) -> Connection {
        guard let pointer = lws_get_opaque_user_data(socket.wsi) else {
            // lws called back before the socket was adopted completely: nobody is counted for it.
            return register(socket, peer: nil, place: .none)
        }
        return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
    }

    @discardableResult
    func register(_ socket: Socket, peer: IPAddress?, place: Census.Place) -> Connection {
        nextConnection += 1
        let connection = Connection(
            id: ConnectionID(number: nextConnection),
            socket: socket,
            peer: peer,
            place: place
        )
        lws_set_opaque_user_data(socket.wsi, Unmanaged.passRetained(connection).toOpaque())
        connections[connection.id] = connection
        watch(connection, seconds: settings.limits.headerSeconds)
        metrics.connections.add(1)
        return connection
    }

    /// lws frees the socket: nothing may name it any more.
    func destroyed(_ socket: Socket) {
        guard let pointer = lws_get_opaque_user_data(socket.wsi) else { return }
        lws_set_opaque_user_data(socket.wsi, nil)
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        leave(connection)
        unwatch(connection)
        if connection.place != .none { census.leave(connection.client) }
        connections[connection.id] = nil
        openings[connection.id] = nil
        metrics.connections.add(-1)
    }

    /// Takes what other threads sent. Runs inside the wake callback: with libuv, `lws_service` does not return a wake.
    func woken() {
        for message in port.drain() {
            switch message {
            case .reply(let id, let response): replied(id, response)
            case .missed(let id, let missed): sendMissed(missed, to: id)
            case .publish(let publications): publications.forEach(publish)
            case .refreshPages: refreshPages()
            case .adopt(let arrival): adopt(arrival)
            case .identity(let identity): security?.identity = identity
            case .drain(let done): drain(done)
            case .stop: return stop()
            }
        }
    }

    private func stop() {
        stopListening()
        // What is answered waits for its callback: it has a second.
        for connection in connections.values {
            if case .answering = connection.phase { continue }
            connection.socket.kill()
        }
        stopsAt = now + LoopSettings.ticksPerSecond
    }

    /// Ends the loop when every connection has gone, or has had a second for it.
    func endWhenStopped() {
        guard let stopsAt, connections.isEmpty || now >= stopsAt else { return }
        port.connect(nil)
        uv_stop(uv)
    }
}

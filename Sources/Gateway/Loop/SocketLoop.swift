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
    let hangups = HangupWatch()

    var hub: Hub
    /// Indexed by a subscription's place in the hub's slab.
    var seats: ContiguousArray<Seat?> = []
    /// Those that another thread, a wheel or the hangup watch may name.
    var connections: [ConnectionID: Connection] = [:]
    /// Heads of event streams whose replay is still being read.
    var openings: [ConnectionID: String] = [:]
    /// The feeds that somebody follows, and who follows which.
    var feeds: [StreamName: FeedFilter] = [:]
    var followed: [ConnectionID: StreamName] = [:]
    var wheel = HeartbeatWheel<ConnectionID>(period: LoopSettings.heartbeatTicks)
    var pings = HeartbeatWheel<ConnectionID>(period: LoopSettings.pingTicks)
    var expiries = ExpiryWheel()
    var draining: Draining?
    /// Connections of publishers, and the tick at which each last said something.
    var idlers: [ConnectionID: Int] = [:]
    /// WebSockets that have been sent a close frame, oldest first, and the tick at which we stop waiting for theirs.
    var partings: [(id: ConnectionID, tick: Int)] = []
    var generator = SystemRandomNumberGenerator()
    var now = 0
    private var nextConnection: UInt64 = 0
    private let listener: ListeningSocket
    private var spareDescriptor = ListeningSocket.spare()
    private(set) var context: OpaquePointer?
    private var vhost: OpaquePointer?
    /// The listener as lws sees it; nil once we accept no more.
    private var acceptor: Socket?
    private var timer: LoopTimer?

    init(
        settings: LoopSettings,
        listener: ListeningSocket,
        port: LoopPort,
        peers: [LoopPort],
        handler: any RequestHandler,
        metrics: GatewayMetrics,
        sessions: CableSessions,
        position: Int64
    ) {
        self.settings = settings
        self.listener = listener
        self.port = port
        self.peers = peers
        self.handler = handler
        self.metrics = metrics
        self.sessions = sessions
        hub = Hub(position: position)
    }

    /// Serves until `stop` arrives. `started` learns whether lws is ready.
    func run(started: (Bool) -> Void) {
        guard let context = createContext(), let vhost = lws_get_vhost_by_name(context, "default") else {
            return started(false)
        }
        (self.context, self.vhost) = (context, vhost)
        guard listen(on: vhost) else { return started(false) }
        timer = LoopTimer(context: context, interval: LoopSettings.tickMicroseconds) { [unowned self] in tick() }
        port.connect(context)
        started(true)
        // With libuv this runs the loop until the context is destroyed from inside a callback.
        while lws_service(context, 0) >= 0, self.context != nil {}
        lws_context_destroy(context)
        Glibc.close(spareDescriptor)
    }

    private func createContext() -> OpaquePointer? {
        LWSLog.silence()
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        info.pt_serv_buf_size = 64 << 10
        info.max_http_header_data = 16 << 10
        info.max_http_header_pool = 1024
        info.timeout_secs = 20
        info.keepalive_timeout = 60
        info.user = Unmanaged.passUnretained(self).toOpaque()
        return LoopProtocols.with { protocols, retry in
            info.protocols = protocols
            info.retry_and_idle_policy = retry
            return lws_create_context(&info)
        }
    }

    private func listen(on vhost: OpaquePointer) -> Bool {
        var descriptor = lws_sock_file_fd_type()
        descriptor.filefd = listener.descriptor
        let wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, LoopProtocols.name, nil)
        acceptor = wsi.map { Socket(wsi: $0) }
        return wsi != nil
    }

    /// The listener is readable: lws takes over what waits, 64 at a time so that the pages get their turn.
    func accept() {
        for _ in 0..<64 {
            guard let descriptor = listener.accept(sparing: &spareDescriptor) else { return }
            // lws closes the descriptor itself when it cannot adopt it.
            lws_adopt_socket_vhost(vhost, descriptor)
        }
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

    /// The connection of a socket; made at its first request.
    func connection(of socket: Socket) -> Connection {
        if let pointer = lws_get_opaque_user_data(socket.wsi) {
            return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        }
        nextConnection += 1
        let connection = Connection(id: ConnectionID(number: nextConnection), socket: socket)
        lws_set_opaque_user_data(socket.wsi, Unmanaged.passRetained(connection).toOpaque())
        metrics.connections.add(1)
        return connection
    }

    /// lws frees the socket: nothing may name it any more.
    func destroyed(_ socket: Socket) {
        guard let pointer = lws_get_opaque_user_data(socket.wsi) else { return }
        lws_set_opaque_user_data(socket.wsi, nil)
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        leave(connection)
        connections[connection.id] = nil
        openings[connection.id] = nil
        idlers[connection.id] = nil
        metrics.connections.add(-1)
    }

    /// Takes what other threads sent. Runs inside the wake callback: with libuv, `lws_service` does not return a wake.
    func woken() {
        for message in port.drain() {
            switch message {
            case .reply(let id, let response): replied(id, response)
            case .replay(let id, let replay): replayed(id, replay)
            case .publish(let publications): publications.forEach(publish)
            case .drain(let done): drain(done)
            case .stop: return stop()
            }
        }
    }

    private func stop() {
        guard let context else { return }
        timer = nil
        port.connect(nil)
        self.context = nil
        lws_context_destroy(context)
    }
}

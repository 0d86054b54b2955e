internal import CWebSockets
import Observability

/// One libwebsockets context on a libuv loop: reports which descriptor is readable, and keeps time.
///
/// Created, run and ended on one thread. Its owner keeps it for as long as it runs; afterwards nothing calls it.
public final class EventLoop {
    /// Ours rather than lws', so that it can be stopped. Never freed: lws' handles stay in it.
    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    /// Never destroyed: lws would close its wake descriptor twice (vhost.c:998, libuv.c:441), and by the second time
    /// the number may belong to another thread. It stays, without connections, until the process ends.
    private var context: OpaquePointer?
    private var vhost: OpaquePointer?
    /// Actions for readable descriptors. There are two: the listener and the loop's own waker.
    private var handlers: [Int32: () -> Void] = [:]

    /// A descriptor as lws sees it.
    public struct Observation {
        fileprivate let wsi: OpaquePointer
    }

    /// Nil when lws cannot run on libuv.
    public init?() {
        LWSLog.start()
        guard uv_loop_init(uv) == 0, let context = createContext(),
            let vhost = lws_get_vhost_by_name(context, "default")
        else { return nil }
        self.context = context
        self.vhost = vhost
    }

    private func createContext() -> OpaquePointer? {
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        info.user = Unmanaged.passUnretained(self).toOpaque()
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(uv)]
        return LoopProtocol.with { protocols, retry in
            info.protocols = protocols
            info.retry_and_idle_policy = retry
            return loops.withUnsafeMutableBufferPointer {
                info.foreign_loops = $0.baseAddress
                return lws_create_context(&info)
            }
        }
    }

    // MARK: Descriptors

    /// Calls `handler` whenever the descriptor is readable. lws closes the descriptor in the end. Nil when it cannot be
    /// watched.
    public func observe(_ descriptor: Int32, handler: @escaping () -> Void) -> Observation? {
        guard descriptor >= 0 else { return nil }
        var adopted = lws_sock_file_fd_type()
        adopted.filefd = descriptor
        guard
            let wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, adopted, LoopProtocol.name, nil)
        else { return nil }
        handlers[descriptor] = handler
        return Observation(wsi: wsi)
    }

    /// Reports the descriptor no more until `resume`.
    public func pause(_ observation: Observation) {
        lws_rx_flow_control(observation.wsi, 0)
    }

    public func resume(_ observation: Observation) {
        lws_rx_flow_control(observation.wsi, 1)
    }

    /// Closes the descriptor at the next turn.
    public func close(_ observation: Observation) {
        lws_set_timeout(observation.wsi, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
    }

    func isReadable(_ descriptor: Int32) {
        handlers[descriptor]?()
    }

    // MARK: Turns and time

    /// Calls `action` every `interval` microseconds for as long as the timer is kept.
    public func timer(interval: Int64, action: @escaping () -> Void) -> LoopTimer? {
        context.map { LoopTimer(context: $0, interval: interval, action: action) }
    }

    /// Returns once `stop` has been called. Calls `prepare` each time before it waits for events.
    public func run(prepare: @escaping () -> Void) {
        let handle = PrepareHandle(on: uv, prepare: prepare)
        withExtendedLifetime(handle) { _ = uv_run(uv, UV_RUN_DEFAULT) }
    }

    /// Makes `run` return. For the thread of the loop.
    public func stop() {
        uv_stop(uv)
    }
}

/// Logs lws' own errors. No byte of a request reaches lws, so no such byte can appear in them.
enum LWSLog {
    static func start() {
        lws_set_log_level(Int32(LLL_ERR)) { _, line in
            guard let line else { return }
            let text = String(cString: line).prefix { $0 != "\n" }
            Log.standardError("libwebsockets: \(text)")
        }
    }
}

/// The version of libwebsockets that is loaded.
public let libwebsocketsVersion = String(cString: lws_get_library_version()).prefix { $0 != "-" }.description

internal import CWebSockets
internal import Support

/// The timers of one loop: those of lws, on a libuv loop that only this object runs.
final class LoopTimers {
    /// Never freed: lws' handles stay in it.
    private let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    /// Never destroyed: lws would close its wake descriptor twice (vhost.c:998, libuv.c:441), and by the second time
    /// the number may belong to another thread. It stays, without connections, until the process ends.
    private let context: OpaquePointer
    /// A timer has been made that libuv does not know of yet.
    private var hasNews = false

    init() throws(SocketSetupError) {
        LWSLog.start()
        guard uv_loop_init(uv) == 0 else { throw .noDescriptors }
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(uv)]
        let context = loops.withUnsafeMutableBufferPointer {
            info.foreign_loops = $0.baseAddress
            return lws_create_context(&info)
        }
        guard let context else { throw .noLoop }
        self.context = context
    }

    func timer(interval: Int64, action: @escaping () -> Void) -> LoopTimer {
        // lws looks at its list of timers only when it is called, and this makes libuv call it.
        lws_cancel_service(context)
        hasNews = true
        return LoopTimer(context: context, interval: interval, action: action)
    }

    /// Calls the actions whose time has come.
    func runDue() {
        uv_update_time(uv)
        guard untilNext == 0 else { return }
        hasNews = false
        uv_run(uv, UV_RUN_NOWAIT)
    }

    /// Milliseconds until the next timer is due, as of the last `runDue`; −1 without one.
    var untilNext: Int32 { hasNews ? 0 : uv_backend_timeout(uv) }
}

/// Logs lws' own errors. No byte of a request reaches lws, so no such byte can appear in them.
private enum LWSLog {
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

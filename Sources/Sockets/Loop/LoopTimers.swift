internal import CWebSockets
internal import Observability

/// The timers of one loop: those of lws, on a libuv loop that only this object runs.
final class LoopTimers {
    /// Never freed: lws' handles stay in it.
    private let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    /// Never destroyed: lws would close its wake descriptor twice (vhost.c:998, libuv.c:441), and by the second time
    /// the number may belong to another thread. It stays, without connections, until the process ends.
    private let context: OpaquePointer

    /// Nil when lws cannot run on libuv.
    init?() {
        LWSLog.start()
        guard uv_loop_init(uv) == 0 else { return nil }
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(uv)]
        let context = loops.withUnsafeMutableBufferPointer {
            info.foreign_loops = $0.baseAddress
            return lws_create_context(&info)
        }
        guard let context else { return nil }
        self.context = context
    }

    func timer(interval: Int64, action: @escaping () -> Void) -> LoopTimer {
        LoopTimer(context: context, interval: interval, action: action)
    }

    /// Calls the actions whose time has come. Returns the milliseconds until the next time; −1 without a timer.
    func runDue() -> Int32 {
        uv_update_time(uv)
        let timeout = uv_backend_timeout(uv)
        guard timeout == 0 else { return timeout }
        uv_run(uv, UV_RUN_NOWAIT)
        return uv_backend_timeout(uv)
    }
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

internal import CWebSockets
internal import Observability

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

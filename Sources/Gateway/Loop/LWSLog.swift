internal import CWebSockets
internal import Observability

/// lws' own errors. No byte of a request reaches lws, so none can be in them.
enum LWSLog {
    static func start() {
        lws_set_log_level(Int32(LLL_ERR)) { _, line in
            guard let line else { return }
            let text = String(cString: line).prefix { $0 != "\n" }
            Log.standardError("libwebsockets: \(text)")
        }
    }
}

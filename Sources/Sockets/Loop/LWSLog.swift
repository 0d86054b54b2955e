import CWebSockets
import Observability

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

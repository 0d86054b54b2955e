internal import CWebSockets

/// lws' own log: its lines carry request data, so none reaches ours. What matters is said by us.
enum LWSLog {
    static func silence() {
        lws_set_log_level(0, nil)
    }
}

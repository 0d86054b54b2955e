internal import CWebSockets

/// What lws is told once: which function to call, and to keep no timers of its own on idle connections.
enum LoopProtocol {
    static let name = "paycast"

    /// Calls `body` with tables that live as long as the process: lws keeps pointers to them.
    static func with<Value>(
        _ body: (UnsafePointer<lws_protocols>, UnsafePointer<lws_retry_bo_t>) -> Value
    ) -> Value {
        let (protocols, retry) = tables.pointers
        return body(protocols, retry)
    }

    /// `@unchecked Sendable`: nothing writes to the tables after the initializer, nobody frees them, and lws only reads
    /// them.
    private struct Tables: @unchecked Sendable {
        let pointers: (UnsafePointer<lws_protocols>, UnsafePointer<lws_retry_bo_t>)
    }

    private static let tables: Tables = {
        // A second entry of zeros ends the list.
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(strdup(name))
        protocols[0].callback = called
        // All zeros turn off validity pings. Their sorted list costs 98 µs per connect at 10,000 connections.
        let retry = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        return Tables(pointers: (UnsafePointer(protocols), UnsafePointer(retry)))
    }()
}

/// Passes on lws' callback: a descriptor that the loop observes is readable. Nothing throws through C.
private func called(
    _ wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    bytes: UnsafeMutableRawPointer?,
    count: Int
) -> Int32 {
    guard reason == LWS_CALLBACK_RAW_RX_FILE, let wsi, let context = lws_get_context(wsi),
        let owner = lws_context_user(context)
    else { return 0 }
    Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().isReadable(lws_get_socket_fd(wsi))
    return 0
}

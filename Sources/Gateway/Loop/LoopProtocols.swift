internal import CWebSockets
internal import Cable

/// What lws is told once: the protocols it may speak, and that it keeps no timers of its own on idle connections.
enum LoopProtocols {
    static let name = "paycast"

    /// Calls `body` with tables that live as long as the process: lws keeps pointers to them.
    static func with<Value>(
        _ body: (UnsafePointer<lws_protocols>, UnsafePointer<lws_retry_bo_t>) -> Value
    ) -> Value {
        let (protocols, retry) = tables.pointers
        return body(protocols, retry)
    }

    /// Immutable after its initializer, and never freed; lws only reads it.
    private struct Tables: @unchecked Sendable {
        let pointers: (UnsafePointer<lws_protocols>, UnsafePointer<lws_retry_bo_t>)
    }

    private static let tables: Tables = {
        let names = [name] + CableProtocol.allCases.map(\.rawValue)
        // One more, of zeros, ends the list.
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: names.count + 1)
        protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
        for (index, name) in names.enumerated() {
            protocols[index].name = UnsafePointer(strdup(name))
            protocols[index].callback = calledForSockets
            // Pages send next to nothing: the buffer that lws keeps for each WebSocket is small.
            protocols[index].rx_buffer_size = 512
            // One write takes a whole frame; without it lws cuts at the receive buffer's size.
            protocols[index].tx_packet_size = 4 << 20
        }
        protocols[0].callback = called
        // All zeros: no validity pings. Their sorted list costs 98 µs a connect at 10,000 connections.
        let retry = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        return Tables(pointers: (UnsafePointer(protocols), UnsafePointer(retry)))
    }()
}

private func called(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
) -> Int32 {
    Trampoline.called(wsi, reason, UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
}

/// lws tells every protocol of a wake; one of them is enough.
private func calledForSockets(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
) -> Int32 {
    reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED ? 0 : called(wsi, reason, user, bytes, count)
}

import CWebSockets
import Glibc

/// libwebsockets' context, with everything that it points to.
final class Context {
    private static let alarmMicroseconds: Int64 = 250_000

    private let context: OpaquePointer?
    /// libwebsockets links the alarm into a list of its own.
    private let alarm = UnsafeMutablePointer<lws_sorted_usec_list_t>.allocate(capacity: 1)
    /// Pings after 15 s, and ends a connection that has not answered for 45 s.
    private let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private let texts: Texts

    /// `owner` is called back, and outlives it. Nil without memory.
    init?(_ client: WebSocketClient, owner: Session) {
        texts = Texts()
        protocols = .allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = texts.keep("page")
        protocols[0].callback = happened
        protocols[0].rx_buffer_size = 64 << 10
        alarm.initialize(to: lws_sorted_usec_list_t())
        policy.initialize(to: lws_retry_bo_t())
        policy.pointee.secs_since_valid_ping = 15
        policy.pointee.secs_since_valid_hangup = 45
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = UnsafePointer(protocols)
        info.options = UInt64(paycast_lws_options)
        info.user = Unmanaged.passUnretained(owner).toOpaque()
        // One connection and the pipe that wakes the loop, rather than a table of all files that may be open.
        info.fd_limit_per_thread = 16
        info.max_http_header_data = 16 << 10
        info.pt_serv_buf_size = 64 << 10
        // For each address of a name: IPv6 may lead nowhere where IPv4 does not.
        info.timeout_secs = 3
        info.retry_and_idle_policy = UnsafePointer(policy)
        // Without a text, it would read the environment by rules of its own.
        info.http_proxy_address = texts.keep(client.proxy ?? "")
        if let file = client.authorityFile {
            info.client_ssl_ca_filepath = texts.keep(file)
            info.options |= UInt64(paycast_lws_no_system_authorities)
        }
        context = lws_create_context(&info)
        guard context != nil else { return nil }
    }

    deinit {
        lws_context_destroy(context)
        protocols.deallocate()
        policy.deallocate()
        alarm.deallocate()
    }

    /// Nil when it has failed already, in which case nobody is told why.
    func connect(_ client: WebSocketClient) -> OpaquePointer? {
        let url = client.url
        var info = lws_client_connect_info()
        info.context = context
        info.address = texts.keep(url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host)
        info.port = Int32(url.port)
        info.path = texts.keep(url.path)
        info.host = texts.keep(String(url.origin.drop { $0 != "/" }.dropFirst(2)))
        info.origin = texts.keep(client.pageOrigin)
        if let subprotocol = client.subprotocol { info.protocol = texts.keep(subprotocol) }
        info.local_protocol_name = texts.keep("page")
        info.alpn = texts.keep("http/1.1")
        info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
        if url.isSecure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
        return lws_client_connect_via_info(&info)
    }

    /// Waits for something to happen, for a quarter of a second at most, and handles it.
    func serve() {
        lws_sul_schedule(context, 0, alarm, { _ in }, Context.alarmMicroseconds)
        lws_service(context, 0)
    }
}

/// Texts for C, which live as long as this.
private final class Texts {
    private var kept: [UnsafeMutablePointer<CChar>] = []

    func keep(_ text: String) -> UnsafePointer<CChar>? {
        guard let copy = strdup(text) else { return nil }
        kept.append(copy)
        return UnsafePointer(copy)
    }

    deinit {
        for text in kept { free(text) }
    }
}

private func happened(
    _ connection: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    count: Int
) -> Int32 {
    guard let connection, let context = lws_get_context(connection), let owner = lws_context_user(context) else {
        return 0
    }
    return Unmanaged<Session>.fromOpaque(owner)._withUnsafeGuaranteedRef {
        $0.happened(
            reason,
            on: connection,
            verification: user,
            bytes: .init(start: input, count: input == nil ? 0 : count)
        )
    }
}

import COpenSSL
import CWebSockets
import Support

/// One connection of libwebsockets on a poll loop of its own: a context that lives as long as `run`, on its thread.
final class Session {
    private enum Phase {
        case connecting
        case open
        /// Our side has had enough, and says goodbye.
        case leaving
        case over
    }

    private static let handshakeSeconds = 10.0
    private static let farewellSeconds = 1.0
    private static let longestMessage = 4 << 20

    private let client: WebSocketClient
    private let handle: (WebSocketClient.Event, (String) -> Void) -> Bool
    private var phase = Phase.connecting
    private var failure: WebSocketError.Kind?
    private var connection: OpaquePointer?
    private var message: [UInt8] = []
    private var outgoing: [[UInt8]] = []
    private var nextSecond = ContinuousClock.now
    /// When the handshake, or the farewell, must be over.
    private var deadline = ContinuousClock.now

    init(_ client: WebSocketClient, handle: @escaping (WebSocketClient.Event, (String) -> Void) -> Bool) {
        self.client = client
        self.handle = handle
    }

    /// Nil when the handler has ended it.
    func run() -> WebSocketError.Kind? {
        ProtocolClues.listen()
        guard let context = Session.handshakes.withLock({ _ in open() }) else { return failure ?? .noMemory }
        serve(context) { phase == .over }
        return failure
    }

    /// A new context takes from the others what they verify certificates with (openssl_websocket_private_data_index), so
    /// one at a time is opened.
    private static let handshakes = Monitor(())

    private func open() -> Context? {
        deadline = ContinuousClock.now + .seconds(Session.handshakeSeconds)
        guard let context = Context(client, owner: self) else { return nil }
        connection = context.connect(client)
        if connection == nil, phase != .over { end(with: ProtocolClues.take() ?? .refused) }
        serve(context) { phase != .connecting }
        return context
    }

    private func serve(_ context: Context, until isDone: () -> Bool) {
        while !isDone() {
            context.serve()
            tick()
        }
    }

    /// Nothing waits twice, however often the other side asks for it and does not read it.
    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        guard !outgoing.contains(bytes) else { return }
        outgoing.append(bytes)
        if let connection { lws_callback_on_writable(connection) }
    }

    // MARK: Time

    private func tick() {
        let now = ContinuousClock.now
        if phase == .connecting {
            if now > deadline { return end(with: .timedOut) }
            // What libwebsockets gives an address (`timeout_secs`) it would give each step of the handshake, too.
            connection.map { lws_set_timeout($0, NO_PENDING_TIMEOUT, 0) }
        }
        if phase == .leaving { return now > deadline ? phase = .over : () }
        guard phase != .over, now >= nextSecond else { return }
        nextSecond = now + .seconds(1)
        if !handle(.tick, send) { leave() }
    }

    private func end(with failure: WebSocketError.Kind) {
        // The first reason is the cause of the others; what comes after our own end is no failure.
        if phase == .connecting || phase == .open { self.failure = self.failure ?? failure }
        phase = .over
    }

    /// The handler has had enough: the other side is told, if there is one.
    private func leave() {
        guard phase == .open, let connection else {
            phase = .over
            return
        }
        phase = .leaving
        deadline = ContinuousClock.now + .seconds(Session.farewellSeconds)
        lws_callback_on_writable(connection)
    }

    // MARK: Called by libwebsockets

    /// Anything but 0 ends the connection.
    func happened(
        _ reason: lws_callback_reasons,
        on connection: OpaquePointer,
        verification: UnsafeMutableRawPointer?,
        bytes: UnsafeRawBufferPointer
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
            // For the certificate, `in` is something else, and `len` says whether OpenSSL accepts it.
            if bytes.isEmpty, let verification { noteCertificate(OpaquePointer(verification)) }
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            let status = Int(lws_http_client_http_response(connection))
            if status != 101 { failure = failure ?? .status(status) }
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            end(with: ProtocolClues.handshakeFault(String(decoding: bytes, as: UTF8.self)))
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            self.connection = connection
            phase = .open
            if !handle(.opened, send) { leave() }
        case LWS_CALLBACK_CLIENT_RECEIVE: return received(bytes, on: connection)
        case LWS_CALLBACK_CLIENT_WRITEABLE: return writeNext(on: connection)
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: noteClose(bytes)
        case LWS_CALLBACK_CLIENT_CLOSED: end(with: ProtocolClues.take() ?? .brokenOff)
        default: break
        }
        return 0
    }

    private func received(_ bytes: UnsafeRawBufferPointer, on connection: OpaquePointer) -> Int32 {
        guard phase == .open else { return 0 }
        guard message.count + bytes.count <= Session.longestMessage else {
            failure = .tooLarge
            leave()
            return 0
        }
        message += bytes
        guard lws_is_final_fragment(connection) != 0, lws_remaining_packet_payload(connection) == 0 else { return 0 }
        let whole = message
        message = []
        // Turbo drops what is not text.
        guard lws_frame_is_binary(connection) == 0 else { return 0 }
        if !handle(.text(String(decoding: whole, as: UTF8.self)), send) { leave() }
        return 0
    }

    private func writeNext(on connection: OpaquePointer) -> Int32 {
        guard phase != .leaving else {
            lws_close_reason(connection, LWS_CLOSE_STATUS_NORMAL, nil, 0)
            return -1
        }
        guard !outgoing.isEmpty else { return 0 }
        let next = outgoing.removeFirst()
        // libwebsockets writes the frame's head in front of the bytes, and its mask over them.
        var frame = [UInt8](repeating: 0, count: Int(paycast_lws_pre)) + next
        let written = frame.withUnsafeMutableBufferPointer {
            lws_write(connection, $0.baseAddress.map { $0 + Int(paycast_lws_pre) }, next.count, LWS_WRITE_TEXT)
        }
        if !outgoing.isEmpty { lws_callback_on_writable(connection) }
        return written < 0 ? -1 : 0
    }

    private func noteCertificate(_ verification: OpaquePointer) {
        let code = Int(X509_STORE_CTX_get_error(verification))
        let flaw = CertificateFlaw(code, words: String(cString: X509_verify_cert_error_string(code)))
        failure = failure ?? .certificate(flaw)
    }

    private func noteClose(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open else { return }
        let code = bytes.count >= 2 ? Int(bytes[0]) << 8 | Int(bytes[1]) : 1005
        failure = failure ?? .closed(code, String(decoding: bytes.dropFirst(2), as: UTF8.self))
    }
}

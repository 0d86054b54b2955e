internal import CNghttp2

/// One connection of HTTP/2, server side, without a socket: bytes in, events and bytes out. One thread's own.
///
/// nghttp2 checks frames, HPACK and messages. What it would let grow is bounded here: streams, heads, and frames that
/// cost us more than the client (`FloodGuard`).
public final class ServerSession {
    /// Streams at the same time: more pages than a browser shows of one origin.
    public static let streamLimit = 100
    /// Bytes of a body that a client may send on after its answer; beyond them the stream is reset.
    static let unwantedLimit = 1 << 20

    /// What waits for `takeEvents`.
    var events: [SessionEvent] = []
    /// Heads that are arriving: one at a time, since nothing may come between its frames (RFC 9113 §6.10).
    var arriving: (id: Int32, text: RequestText)?
    /// Streams whose answer has begun.
    var answered: Set<Int32> = []
    /// Of streams whose answer has ended before their request: how many bytes have come since. The gateway's deadlines end
    /// those that stop sending.
    var unwanted: [Int32: Int] = [:]
    var flood = FloodGuard()
    let source: (Int32, UnsafeMutableRawBufferPointer) -> Pull
    private(set) var session: OpaquePointer?
    private var isTerminated = false

    /// `source` fills a buffer with what a stream's answer has next; it must not call the session.
    public init?(source: @escaping (Int32, UnsafeMutableRawBufferPointer) -> Pull) {
        self.source = source
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { return nil }
        defer { nghttp2_option_del(options) }
        // A client's credit comes back when a loop has taken its bytes, so none can make us keep more than a window.
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_max_outbound_ack(options, 200)
        // Its own limit, 33 a second, does not tell a flood from pages that come and go: `FloodGuard` does.
        nghttp2_option_set_stream_reset_rate_limit(options, 1 << 20, 1 << 20)
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        ServerSession.set(callbacks)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_server_new2(&session, callbacks, owner, options) == 0, greet() else { return nil }
    }

    deinit {
        nghttp2_session_del(session)
    }

    private func greet() -> Bool {
        let entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                value: UInt32(ServerSession.streamLimit)
            ),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(RequestText.limit)
            ),
            // No tree of priorities (RFC 9218 §2.1), which costs memory for streams that are closed.
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
        ]
        return nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count) == 0
    }

    /// False: the client broke the rules. What is to be sent yet says so; then the connection ends.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isTerminated, let start = bytes.baseAddress else { return !isTerminated }
        let count = nghttp2_session_mem_recv(session, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        guard count == bytes.count, flood.isWithin else {
            // nghttp2 counts what waits to be acknowledged, and the pieces of a head.
            let isFlood = [NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS].contains { $0.rawValue == count }
            terminate(isFlood || count == bytes.count ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR)
            return false
        }
        return true
    }

    public var hasEvents: Bool { !events.isEmpty }

    /// What has happened since the last call. Requests that were reset meanwhile are left out.
    public func takeEvents() -> [SessionEvent] {
        defer { events = [] }
        let closed = Set(events.compactMap { if case .closed(let id) = $0 { id } else { nil } })
        guard !closed.isEmpty else { return events }
        return events.filter {
            if case .request(let id, _) = $0 { !closed.contains(id) } else { true }
        }
    }

    /// Appends frames until `limit` bytes are reached or nothing is left. False: the session is broken.
    public func fill(_ output: inout [UInt8], limit: Int) -> Bool {
        while output.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count >= 0 else { return false }
            guard count > 0 else { return true }
            output += UnsafeBufferPointer(start: bytes, count: count)
        }
        return true
    }

    /// Nothing will be read or written any more.
    public var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: Streams

    /// Begins an answer. With a body, `source` is asked for it. False when the stream is gone.
    public func respond(to id: Int32, _ head: ResponseHead, hasBody: Bool) -> Bool {
        answered.insert(id)
        var storage: [UInt8] = []
        var spans: [(name: Range<Int>, value: Range<Int>)] = []
        for field in [ResponseHead.Field(name: ":status", value: String(head.status))] + head.fields {
            let start = storage.count
            storage += field.name.utf8
            let middle = storage.count
            storage += field.value.utf8
            spans.append((start..<middle, middle..<storage.count))
        }
        return storage.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            let fields = spans.map { span in
                nghttp2_nv(
                    name: base + span.name.lowerBound,
                    value: base + span.value.lowerBound,
                    namelen: span.name.count,
                    valuelen: span.value.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                )
            }
            guard hasBody else { return nghttp2_submit_response(session, id, fields, fields.count, nil) == 0 }
            var provider = nghttp2_data_provider()
            provider.read_callback = ServerSession.read
            return nghttp2_submit_response(session, id, fields, fields.count, &provider) == 0
        }
    }

    /// `source` said `nothing`, and has something now.
    public func resume(_ id: Int32) {
        nghttp2_session_resume_data(session, id)
    }

    /// So many bytes of a body have been taken, or nobody wants them.
    public func consume(_ id: Int32, _ count: Int) {
        guard count > 0 else { return }
        nghttp2_session_consume(session, id, count)
    }

    public func reset(_ id: Int32, _ reason: ResetReason) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, reason.rawValue)
    }

    // MARK: The end

    /// Takes no more requests; those that run go on.
    public func goAway() {
        let last = nghttp2_session_get_last_proc_stream_id(session)
        let code = NGHTTP2_NO_ERROR.rawValue
        nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code, nil, 0)
    }

    private func terminate(_ code: nghttp2_error_code) {
        isTerminated = true
        nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// Once a second.
    public func passSecond() {
        flood.give(FloodGuard.perSecond)
    }
}

import CNghttp2

/// The server's side of an HTTP/2 connection, without a socket: bytes in, events and bytes out. Confined to one thread.
///
/// nghttp2 checks frames, HPACK and messages. This class bounds what nghttp2 would let grow: streams, heads, and frames
/// that cost us more than the client (`FloodGuard`).
public final class ServerSession {
    /// The most concurrent streams; a browser shows fewer pages of one origin.
    public static let streamLimit = 100
    /// The most bytes of a body that a client may still send after its answer; beyond them the stream is reset.
    static let unwantedLimit = 1 << 20

    /// Events that wait for `takeEvents`.
    var events: [SessionEvent] = []
    /// The head that is arriving: only one at a time, since nothing may come between its frames (RFC 9113 §6.10).
    var arriving: (id: Int32, text: RequestText)?
    /// Streams whose answer has begun.
    var answered: Set<Int32> = []
    /// Streams whose answer has ended before their request, with the number of bytes that have come since. The
    /// gateway's deadlines end streams that stop sending.
    var unwanted: [Int32: Int] = [:]
    var flood = FloodGuard()
    /// Fills a buffer with the next bytes of a stream's answer; it must not call the session.
    public var source: (Int32, UnsafeMutableRawBufferPointer) -> Pull = { _, _ in .nothing }
    private(set) var session: OpaquePointer?
    private var isTerminated = false

    /// Nil when nghttp2 has no memory.
    public init?() {
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { return nil }
        defer { nghttp2_option_del(options) }
        // A client gets its credit back when a loop has taken its bytes, so it cannot make us keep more than a window.
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_max_outbound_ack(options, 200)
        // nghttp2's own limit, 33 a second, cannot tell a flood from pages that come and go; `FloodGuard` can.
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
            // No priority tree (RFC 9218 §2.1), which would cost memory for closed streams.
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
        ]
        return nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count) == 0
    }

    /// Returns false when the client broke the rules. The frames still to be sent say so; then the connection ends.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isTerminated, let start = bytes.baseAddress else { return !isTerminated }
        let count = nghttp2_session_mem_recv(session, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        guard count == bytes.count, flood.isWithin else {
            // nghttp2 itself counts the acknowledgments that wait to be sent, and the pieces of a head.
            let isFlood = [NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS].contains { $0.rawValue == count }
            terminate(isFlood || count == bytes.count ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR)
            return false
        }
        return true
    }

    public var hasEvents: Bool { !events.isEmpty }

    /// The events since the last call. Requests that were reset meanwhile are left out.
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

    /// Whether nothing more will be read or written.
    public var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: Streams

    /// Begins an answer. If it has a body, `source` is asked for it. `date` is the value of `Date`. Returns false when the
    /// stream is gone.
    public func respond(to id: Int32, head: ResponseHead, date: String, hasBody: Bool) -> Bool {
        answered.insert(id)
        // Names are in lower case (RFC 9113 §8.2.1), and no field concerns only one connection.
        var named = [(name: ":status", value: String(head.status)), (name: "date", value: date)]
        named += head.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        if let length = head.length { named.append((name: "content-length", value: String(length))) }
        var storage: [UInt8] = []
        var spans: [(name: Range<Int>, value: Range<Int>)] = []
        for (name, value) in named {
            let start = storage.count
            storage += name.utf8
            let middle = storage.count
            storage += value.utf8
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

    /// Call when `source` has returned `nothing` and now has something.
    public func resume(_ id: Int32) {
        nghttp2_session_resume_data(session, id)
    }

    /// Gives credit back for `count` bytes of a body that have been taken, or that nobody wants.
    public func consume(_ count: Int, of id: Int32) {
        guard count > 0 else { return }
        nghttp2_session_consume(session, id, count)
    }

    public func reset(_ id: Int32, reason: ResetReason) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, reason.rawValue)
    }

    // MARK: The end

    /// Takes no more requests; running requests continue.
    public func goAway() {
        let last = nghttp2_session_get_last_proc_stream_id(session)
        let code = NGHTTP2_NO_ERROR.rawValue
        nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code, nil, 0)
    }

    private func terminate(_ code: nghttp2_error_code) {
        isTerminated = true
        nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// Call once a second.
    public func passSecond() {
        flood.give(FloodGuard.perSecond)
    }
}

/// The version of nghttp2 that is loaded.
public let nghttp2Version = String(cString: nghttp2_version(0).pointee.version_str)

/// An event that a client's frames amount to.
public enum SessionEvent: Equatable, Sendable {
    /// A request's head, as HTTP/1.1 writes it.
    case request(Int32, head: [UInt8])
    /// A piece of its body. `ServerSession.consume` makes room for more.
    case body(Int32, [UInt8])
    /// The stream was answered, or reset by either side.
    case closed(Int32)
}

/// How much a stream can send at the moment.
public enum Pull: Equatable, Sendable {
    /// The number of bytes written into the buffer; `isLast` ends the stream.
    case bytes(Int, isLast: Bool)
    /// Nothing yet: `ServerSession.resume` asks again.
    case nothing
    /// The answer was cut short.
    case broken
}

/// Why a stream is reset (RFC 9113 §7).
public enum ResetReason: UInt32, Sendable {
    case refused = 7
    case cancelled = 8
}

/// Bounds the work that a client can cause for nothing: each frame that makes no progress costs credit, and each second
/// gives some back.
///
/// Resets cost most: a stream that is opened and reset at once makes work on every side of the server (CVE-2023-44487,
/// https://www.cve.org/CVERecord?id=CVE-2023-44487).
struct FloodGuard {
    /// The credit that an honest client needs at once, to close a page's hundred streams or to take in a long download.
    static let burst = 4000
    static let perSecond = 400
    /// The cost of resetting a request before its answer begins: 100 at once, 10 a second.
    static let reset = 40
    /// The cost of resetting an answer that has begun, as when a page is left. With its request, it costs what the
    /// answer has given back.
    static let departure = 2
    /// The cost of a malformed head, or one that is too large.
    static let flaw = 100
    /// The credit that each frame of an answer gives back: the client asked for it, and grants stream and connection
    /// credit.
    static let sent = 3

    private var balance = FloodGuard.burst

    var isWithin: Bool { balance >= 0 }

    mutating func take(_ cost: Int) {
        balance = max(-1, balance - cost)
    }

    mutating func give(_ amount: Int) {
        balance = min(FloodGuard.burst, balance + amount)
    }
}

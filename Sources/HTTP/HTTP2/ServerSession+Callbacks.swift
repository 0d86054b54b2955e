import CNghttp2

/// The callbacks of nghttp2. Nothing throws through C, and nothing here calls a socket.
extension ServerSession {
    static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, head, context in
            if let head { owner(of: context)?.beginFrame(head.pointee) }
            // Always 0: only an intact session can tell the client what went wrong. `receive` ends it after this read.
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            if let frame { owner(of: context)?.beginHeaders(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, length, value, size, _, context in
            guard let frame, let session = owner(of: context) else { return 0 }
            return session.addHeader(
                UnsafeBufferPointer(start: name, count: length),
                value: UnsafeBufferPointer(start: value, count: size),
                of: frame.pointee.hd.stream_id
            )
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let frame { owner(of: context)?.received(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, context in
            owner(of: context)?.received(UnsafeBufferPointer(start: bytes, count: count), of: id)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            if let frame { owner(of: context)?.sent(frame.pointee.hd) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, context in
            owner(of: context)?.closed(id)
            return 0
        }
    }

    static let read: nghttp2_data_source_read_callback = { _, id, buffer, count, flags, _, context in
        guard let session = owner(of: context), let buffer, let flags else { return failure }
        switch session.source(id, UnsafeMutableRawBufferPointer(start: buffer, count: count)) {
        case .bytes(let count, let isLast):
            if isLast { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return count
        case .nothing: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .broken: return failure
        }
    }

    /// Resets the stream, and leaves the connection alone.
    private static let failure = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

    private func beginFrame(_ head: nghttp2_frame_hd) {
        switch UInt32(head.type) {
        case NGHTTP2_DATA.rawValue: flood.take(head.length < 256 ? 1 : 0)
        case NGHTTP2_RST_STREAM.rawValue:
            flood.take(answered.contains(head.stream_id) ? FloodGuard.departure : FloodGuard.reset)
        default: flood.take(1)
        }
    }

    private func beginHeaders(_ frame: nghttp2_frame) {
        if frame.headers.cat == NGHTTP2_HCAT_REQUEST { arriving = (frame.hd.stream_id, RequestText()) }
    }

    private func addHeader(
        _ name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        of id: Int32
    ) -> Int32 {
        guard arriving?.id == id else {
            // A trailer, which nobody reads. It costs credit: a few bytes can stand for many trailers (RFC 7541 §7.3).
            flood.take(1)
            return flood.isWithin ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        arriving?.text.add(name, value: value)
        guard arriving?.text.isFlawed == true else { return 0 }
        // nghttp2 resets the stream and only decompresses what follows, so that the rest costs no more than that.
        flood.take(FloodGuard.flaw)
        arriving = nil
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private func received(_ frame: nghttp2_frame) {
        guard UInt32(frame.hd.type) == NGHTTP2_HEADERS.rawValue, frame.headers.cat == NGHTTP2_HCAT_REQUEST,
            let text = arriving?.text, let id = arriving?.id, id == frame.hd.stream_id
        else { return }
        arriving = nil
        guard let head = text.finish() else {
            flood.take(FloodGuard.flaw)
            return reset(id, reason: .refused)
        }
        var priority = nghttp2_extpri(urgency: UInt32(NGHTTP2_EXTPRI_DEFAULT_URGENCY), inc: 1)
        // All streams take turns, whatever the client says: an endless stream must not hold up another.
        nghttp2_session_change_extpri_stream_priority(session, id, &priority, 1)
        events.append(.request(id, head: head))
    }

    private func sent(_ head: nghttp2_frame_hd) {
        guard UInt32(head.type) <= NGHTTP2_HEADERS.rawValue else { return }
        flood.give(FloodGuard.sent)
        // The answer has ended before its request. RFC 9113 §8.1 would allow a reset at once, but curl 7.88 and Node
        // drop the answer if the reset meets them in the middle of their body. So the rest may come, within bounds.
        guard UInt32(head.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0,
            nghttp2_session_get_stream_remote_close(session, head.stream_id) == 0
        else { return }
        unwanted[head.stream_id] = 0
    }

    private func received(_ bytes: UnsafeBufferPointer<UInt8>, of id: Int32) {
        events.append(.body(id, Array(bytes)))
        guard let count = unwanted[id] else { return }
        unwanted[id] = count + bytes.count
        guard count <= ServerSession.unwantedLimit, count + bytes.count > ServerSession.unwantedLimit else { return }
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, NGHTTP2_NO_ERROR.rawValue)
    }

    private func closed(_ id: Int32) {
        if arriving?.id == id { arriving = nil }
        answered.remove(id)
        unwanted[id] = nil
        events.append(.closed(id))
    }
}

private func owner(of context: UnsafeMutableRawPointer?) -> ServerSession? {
    context.map { Unmanaged<ServerSession>.fromOpaque($0).takeUnretainedValue() }
}

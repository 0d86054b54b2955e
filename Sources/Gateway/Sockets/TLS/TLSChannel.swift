import COpenSSL
import Glibc

/// TLS on one of our connections, by OpenSSL, without blocking. Does not own the descriptor. Confined to one thread.
///
/// OpenSSL reads through us, and one call of it takes no more than `TLSReadBudget` allows: in some states it reads on for
/// as long as a peer keeps sending records that carry nothing.
final class TLSChannel {
    private let ssl: OpaquePointer
    /// Owns the way in which `ssl` reads.
    private let context: TLSContext
    private let descriptor: Int32
    private var budget = TLSReadBudget()
    /// OpenSSL has failed, after which nothing more may be sent (SSL_get_error(3)).
    private var isBroken = false

    init?(_ context: TLSContext, descriptor: Int32) {
        guard let ssl = SSL_new(context.pointer) else { return nil }
        guard let source = BIO_new(context.source), let sink = BIO_new_socket(descriptor, 0) else {
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
        self.context = context
        self.descriptor = descriptor
        let owner = Unmanaged.passUnretained(self).toOpaque()
        BIO_set_data(source, owner)
        BIO_set_init(source, 1)
        SSL_set_bio(ssl, source, sink)
        SSL_ctrl(ssl, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, owner)
    }

    deinit {
        ERR_clear_error()
        SSL_free(ssl)
    }

    func handshake() -> Socket.Progress {
        progress(opposite: SSL_ERROR_WANT_WRITE) { SSL_accept(ssl) }
    }

    /// Whether the handshake agreed on HTTP/2.
    var hasChosenHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Progress {
        let outcome = progress(opposite: SSL_ERROR_WANT_WRITE) {
            SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        }
        if case .done = outcome { budget.gotData() }
        return outcome
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Socket.Progress {
        progress(opposite: SSL_ERROR_WANT_READ) { SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) }
    }

    /// Makes one attempt: a peer that does not take it sees the connection end.
    func sayGoodbye() {
        guard !isBroken, SSL_is_init_finished(ssl) == 1 else { return }
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// `opposite` is the wait of the other direction.
    private func progress(opposite: Int32, _ call: () -> Int32) -> Socket.Progress {
        guard !isBroken else { return .ended }
        ERR_clear_error()
        budget.beginCall()
        let result = call()
        if result > 0 { return .done(Int(result)) }
        switch SSL_get_error(ssl, result) {
        case _ where budget.isOverdrawn: break
        case opposite: return .waitsForOpposite
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waits
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: break
        }
        isBroken = true
        return .ended
    }

    // MARK: Called by OpenSSL

    /// What it calls to read from the descriptor. Nil when it has no memory. The caller owns it.
    static func makeSource() -> OpaquePointer? {
        guard let source = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "budget") else { return nil }
        BIO_meth_set_read(source) { bio, buffer, count in
            guard let bio, let buffer, let owner = BIO_get_data(bio) else { return -1 }
            return Unmanaged<TLSChannel>.fromOpaque(owner).takeUnretainedValue().fill(buffer, count: count, of: bio)
        }
        BIO_meth_set_ctrl(source) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return source
    }

    private func fill(_ buffer: UnsafeMutablePointer<CChar>, count: Int32, of bio: OpaquePointer) -> Int32 {
        BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        var received = -1
        if budget.mayRead {
            repeat { received = recv(descriptor, buffer, Int(count), 0) } while received < 0 && errno == EINTR
            if received > 0 { budget.bytes -= received }
            guard received < 0, errno == EAGAIN else { return Int32(received) }
        }
        // What the budget leaves in the kernel is reported at the loop's next turn.
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }

    /// Called for each message of the protocol, and for the head of each record.
    static let countRecord:
        @convention(c) (
            Int32, Int32, Int32, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?
        ) -> Void = { isSent, _, type, _, _, _, owner in
            guard isSent == 0, type == SSL3_RT_HEADER, let owner else { return }
            Unmanaged<TLSChannel>.fromOpaque(owner).takeUnretainedValue().budget.beganRecord()
        }
}

/// What a peer may make OpenSSL read: in one call, so that a loop comes back to its other connections, and without data
/// in the long run. A KeyUpdate (RFC 8446 §4.6.3) costs 50 µs, and an honest peer sends one in millions of records.
struct TLSReadBudget {
    /// More than a handshake has.
    static let recordsWithoutData = 256

    /// Bytes that this call may still read.
    var bytes = 0
    private var records = 0
    private var withoutData = 0

    var mayRead: Bool { bytes > 0 && records > 0 && !isOverdrawn }
    /// The connection has to end.
    var isOverdrawn: Bool { withoutData > TLSReadBudget.recordsWithoutData }

    mutating func beginCall() {
        bytes = 64 << 10
        records = 16
    }

    mutating func beganRecord() {
        records -= 1
        withoutData += 1
    }

    /// The newest record held data, and makes up for one that did not.
    mutating func gotData() {
        withoutData = max(0, withoutData - 2)
    }
}

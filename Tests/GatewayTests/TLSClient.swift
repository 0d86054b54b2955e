import COpenSSL
import TestSupport

/// A TLS client whose records are made in memory: a test decides which of them go out together, and learns whether the
/// server said that it ends. For all else there is `TLSSocket`.
final class TLSClient {
    /// What came until the end of the connection.
    struct Rest {
        var bytes: [UInt8] = []
        /// The server sent close_notify (RFC 8446 §6.1) before it closed.
        var isAnnounced = false

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    let socket: RawSocket
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    /// From the server, and to it. `ssl` owns both.
    private let (incoming, outgoing): (OpaquePointer, OpaquePointer)
    /// The server has sent close_notify.
    private(set) var isAnnounced = false

    /// Returns when the handshake is over. The certificate is not checked.
    init(port: Int, speaking name: String = "http/1.1", receiveBuffer: Int32? = nil) throws {
        socket = try RawSocket(port: port)
        if let receiveBuffer { socket.limitReceiveBuffer(to: receiveBuffer) }
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context),
            let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
        else { preconditionFailure("OpenSSL has no memory") }
        self.context = context
        self.ssl = ssl
        self.incoming = incoming
        self.outgoing = outgoing
        SSL_set_bio(ssl, incoming, outgoing)
        let offer = [UInt8(name.utf8.count)] + name.utf8
        SSL_set_alpn_protos(ssl, offer, UInt32(offer.count))
        while SSL_connect(ssl) != 1 {
            try transmit()
            guard try receive() else { throw RawSocketError.closed }
        }
        try transmit()
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    func send(_ text: String) throws {
        try send(records: [Array(text.utf8)])
    }

    /// All in one write, so that the server finds them together.
    func send(records: [[UInt8]]) throws {
        for record in records { precondition(SSL_write(ssl, record, Int32(record.count)) == record.count) }
        try transmit()
    }

    /// Changes the keys again and again (RFC 8446 §4.6.3), in records that go out with the next write.
    func updateKeys(times: Int, asksPeer: Bool) {
        for _ in 0..<times {
            precondition(SSL_key_update(ssl, asksPeer ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
            precondition(SSL_do_handshake(ssl) == 1)
        }
    }

    /// Changes the keys before each record, and has the server answer with its own.
    func sendWithNewKeys(_ records: [[UInt8]]) throws {
        for record in records {
            updateKeys(times: 1, asksPeer: true)
            precondition(SSL_write(ssl, record, Int32(record.count)) == record.count)
        }
        try transmit()
    }

    /// Says that nothing more comes, and goes on reading.
    func finishSending() throws {
        SSL_shutdown(ssl)
        try transmit()
        socket.finishSending()
    }

    func read(until mark: String) throws -> String {
        var rest = Rest()
        while !rest.text.contains(mark) {
            guard try read(into: &rest) else { throw RawSocketError.closed }
        }
        return rest.text
    }

    func readToEnd() throws -> Rest {
        var rest = Rest()
        while try read(into: &rest) {}
        return rest
    }

    /// False at the end.
    private func read(into rest: inout Rest) throws -> Bool {
        let bytes = try readSome()
        rest.bytes += bytes
        rest.isAnnounced = isAnnounced
        return !bytes.isEmpty
    }

    /// What the next record holds; empty at the end.
    func readSome() throws -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = SSL_read(ssl, &chunk, Int32(chunk.count))
            if count > 0 { return Array(chunk.prefix(Int(count))) }
            isAnnounced = SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN
            guard try !isAnnounced && receive() else { return [] }
        }
    }

    private func transmit() throws {
        var records = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
        guard !records.isEmpty else { return }
        BIO_read(outgoing, &records, Int32(records.count))
        try socket.send(records)
    }

    /// False at the end of the connection.
    private func receive() throws -> Bool {
        let records = try socket.readSome()
        BIO_write(incoming, records, Int32(records.count))
        return !records.isEmpty
    }
}

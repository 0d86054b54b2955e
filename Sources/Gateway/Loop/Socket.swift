internal import CWebSockets
internal import Glibc

/// One accepted connection of the kernel's, in the clear or over TLS.
///
/// lws says when its descriptor is readable or writable and closes it in the end; bytes go past it. Owns its TLS.
/// Valid from its adoption to `RAW_CLOSE_FILE`, and only on the thread of its loop.
final class Socket: Link {
    enum Received {
        case bytes(Int)
        /// The kernel has nothing more for now.
        case nothing
        /// The peer has closed its side.
        case end
        case broken
    }

    let descriptor: Int32
    private let wsi: OpaquePointer
    private let tls: TLSChannel?
    /// What the kernel has not taken, from `sent` on.
    private var output: [UInt8] = []
    private var sent = 0
    private var isBroken = false
    private(set) var isReading = true

    /// Nil when lws or OpenSSL cannot take it; the descriptor is closed then.
    init?(adopting descriptor: Int32, by vhost: OpaquePointer?, _ context: TLSContext?) {
        let tls = context.flatMap { TLSChannel($0, descriptor: descriptor) }
        var adopted = lws_sock_file_fd_type()
        adopted.filefd = descriptor
        guard context == nil || tls != nil,
            let wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, adopted, LoopProtocol.name, nil)
        else {
            close(descriptor)
            return nil
        }
        self.tls = tls
        self.wsi = wsi
        self.descriptor = descriptor
    }

    /// lws gives it back with each callback.
    func setOwner(_ owner: UnsafeMutableRawPointer?) {
        lws_set_opaque_user_data(wsi, owner)
    }

    // MARK: Reading

    var isEncrypted: Bool { tls != nil }

    func handshake() -> TLSChannel.Progress { tls?.handshake() ?? .done(1) }

    var hasChosenHTTP2: Bool { tls?.hasChosenHTTP2 ?? false }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
        if let tls {
            switch tls.read(into: buffer) {
            case .done(let count): return .bytes(count)
            case .waits: return .nothing
            case .ended: return .end
            }
        }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EAGAIN { return .nothing }
            if errno != EINTR { return .broken }
        }
    }

    /// The peer's bytes wait in the kernel. lws would call back on them again and again.
    func stopReading() {
        guard isReading else { return }
        isReading = false
        lws_rx_flow_control(wsi, 0)
    }

    func resumeReading() {
        guard !isReading else { return }
        isReading = true
        lws_rx_flow_control(wsi, 1)
    }

    // MARK: Writing

    var isBehind: Bool { sent < output.count }

    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isBroken else { return false }
        guard !isBehind else {
            output += bytes
            return true
        }
        guard let count = transmit(bytes) else { return false }
        guard count < bytes.count else { return true }
        output = Array(bytes[count...])
        sent = 0
        requestWritable()
        return true
    }

    func begin(_ head: AnswerHead, _ body: [UInt8], date: String, isWhole: Bool) -> Bool {
        write(head.text(date: date) + body)
    }

    func finish() {}

    /// The kernel takes bytes again. False when the connection is dead.
    func flush() -> Bool {
        guard isBehind else { return true }
        guard let count = output.withUnsafeBytes({ transmit(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) else {
            return false
        }
        sent += count
        if !isBehind {
            output = []
            sent = 0
        }
        return true
    }

    /// Calls back when the kernel takes more, once.
    func requestWritable() {
        lws_callback_on_writable(wsi)
    }

    /// How many bytes the kernel took; nil when the connection is dead.
    private func transmit(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var total = 0
        while total < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[total...])
            switch tls?.write(rest) ?? send(rest) {
            case .done(let count): total += count
            case .waits: return total
            case .ended:
                isBroken = true
                return nil
            }
        }
        return total
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> TLSChannel.Progress {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .done(count) }
            if errno == EAGAIN { return .waits }
            if errno != EINTR { return .ended }
        }
    }

    // MARK: The end

    /// Over TLS, the end is said: a peer that merely finds the connection closed could not tell it from a cut.
    func sayGoodbye() {
        tls?.sayGoodbye()
    }

    /// Nothing more will be sent; what comes can still be read.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// lws closes the descriptor as soon as the loop comes round, from anywhere but its own callback.
    func kill() {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
    }

    // MARK: TCP

    /// `TCP_USER_TIMEOUT` of tcp(7).
    func endWhenUnanswered(after seconds: Int32) {
        var milliseconds = seconds * 1000
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
    }

    /// `TCP_NOTSENT_LOWAT` of tcp(7). Without it the kernel takes 4 MB for each reader that takes nothing.
    func limitUnsent(to bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
    }

    /// `tcpi_bytes_acked` (include/uapi/linux/tcp.h); 0 when it is not known.
    var confirmedBytes: UInt64 {
        var information = [UInt64](repeating: 0, count: 32)
        var length = socklen_t(information.count * MemoryLayout<UInt64>.size)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0, length >= 128 else {
            return 0
        }
        return information[15]
    }
}

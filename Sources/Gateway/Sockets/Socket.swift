import CLinux
import Glibc
import HTTP
import Pages

/// One accepted connection of the kernel, in the clear or over TLS.
///
/// Its loop reports when its descriptor is readable or writable. It owns its TLS channel. Confined to its loop's thread.
final class Socket: Link {
    /// How far a handshake, a read or a write got.
    enum Progress: Equatable {
        /// The number of bytes; 1 for a handshake.
        case done(Int)
        /// The kernel has nothing, or takes nothing, for now.
        case waits
        /// TLS has a record of its own to read before it writes, or to write before it reads.
        case waitsForOpposite
        /// The peer has closed its side. Over TLS also: it has failed.
        case ended
        case broken
    }

    /// Events for the owner. They are reported again until the owner has read or written.
    enum Report {
        case ready(reading: Bool, writing: Bool)
        /// There will be no more reports of readiness; bytes that came before may still be read.
        case failed
        /// The descriptor is closed. This is the last report.
        case closed
    }

    private let descriptor: Int32
    private let watch: DescriptorWatch
    private let tls: TLSChannel?
    /// Bytes that the kernel has not taken, from `sent` on.
    private var output: [UInt8] = []
    private var sent = 0
    private var isBroken = false
    /// TLS owes the peer a record, and reads nothing before the kernel has taken it.
    private(set) var readWaitsForRoom = false
    /// TLS has read a part of a message that has to be whole before it writes.
    private var writeWaitsForBytes = false
    /// Whether readiness to read is reported.
    private(set) var isReading = true

    /// Nil when the loop or OpenSSL cannot take the descriptor, which is then closed.
    init?(_ descriptor: Int32, on loop: EventLoop, security: TLSContext?) {
        let tls = security.flatMap { TLSChannel($0, descriptor: descriptor) }
        guard security == nil || tls != nil, let watch = DescriptorWatch(descriptor, on: loop) else {
            close(descriptor)
            return nil
        }
        self.tls = tls
        self.watch = watch
        self.descriptor = descriptor
    }

    /// From now on its owner is told what happens. `handler` is kept until the descriptor is closed.
    func start(handler: @escaping (Report) -> Void) {
        watch.start(handler: handler)
    }

    // MARK: Reading

    var isEncrypted: Bool { tls != nil }

    /// Continues the TLS handshake. Without TLS it is done at once.
    func handshake() -> Progress {
        tls.map { readProgress($0.handshake()) } ?? .done(1)
    }

    /// Whether the handshake agreed on HTTP/2.
    var hasChosenHTTP2: Bool { tls?.hasChosenHTTP2 ?? false }

    /// Reads once, without blocking.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        if let tls {
            let progress = tls.read(into: buffer)
            if writeWaitsForBytes {
                writeWaitsForBytes = false
                adjustWatch()
            }
            return readProgress(progress)
        }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .done(count) }
            if count == 0 { return .ended }
            if errno == EAGAIN { return .waits }
            if errno != EINTR { return .broken }
        }
    }

    /// If TLS has something to write first, reading goes on after the next `flush`.
    private func readProgress(_ progress: Progress) -> Progress {
        if progress == .waitsForOpposite {
            readWaitsForRoom = true
            adjustWatch()
        }
        return progress
    }

    /// Leaves the peer's bytes in the kernel, and stops the reports, which would otherwise come again and again.
    func stopReading() {
        guard isReading else { return }
        isReading = false
        adjustWatch()
    }

    /// Reports what the kernel holds, and what comes.
    func resumeReading() {
        guard !isReading else { return }
        isReading = true
        adjustWatch()
    }

    private func adjustWatch() {
        watch.report(
            reading: isReading && !readWaitsForRoom || writeWaitsForBytes,
            writing: isBehind && !writeWaitsForBytes
        )
    }

    // MARK: Writing

    var isBehind: Bool { sent < output.count || readWaitsForRoom }

    func write(_ bytes: [UInt8]) -> Bool {
        guard !isBroken else { return false }
        guard !isBehind else {
            output += bytes
            return true
        }
        guard let count = bytes.withUnsafeBytes({ transmit($0) }) else { return false }
        guard count < bytes.count else { return true }
        output = bytes
        sent = count
        adjustWatch()
        return true
    }

    func begin(_ head: ResponseHead, body: [UInt8], date: String, isWhole: Bool) -> Bool {
        write(head.text(date: date, before: body))
    }

    func finish() {}

    /// The kernel takes bytes again, so this sends more. Returns false when the connection is dead.
    func flush() -> Bool {
        guard isBehind else { return true }
        readWaitsForRoom = false
        guard let count = output.withUnsafeBytes({ transmit(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) else {
            return false
        }
        sent += count
        if !isBehind {
            output = []
            sent = 0
        }
        adjustWatch()
        return true
    }

    /// Returns how many bytes the kernel took; nil when the connection is dead.
    private func transmit(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var total = 0
        while total < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[total...])
            switch tls?.write(rest) ?? send(rest) {
            case .done(let count): total += count
            case .waits: return total
            case .waitsForOpposite:
                writeWaitsForBytes = true
                return total
            case .ended, .broken:
                isBroken = true
                return nil
            }
        }
        return total
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Progress {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .done(count) }
            if errno == EAGAIN { return .waits }
            if errno != EINTR { return .broken }
        }
    }

    // MARK: The end

    /// Announces the end over TLS: a peer that only finds the connection closed could not tell that from a truncation.
    func sayGoodbye() {
        tls?.sayGoodbye()
    }

    /// Sends nothing more; bytes that arrive can still be read.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the descriptor at the end of the loop's turn.
    func end() {
        watch.end()
    }

    // MARK: Its place

    var line: SentRefreshes.Line { SentRefreshes.Line(descriptor: descriptor, isShared: false) }

    /// The index of the first line whose peer has ended it, or may have: bytes that no loop has read can say so. What is read
    /// of a line that others share is mostly theirs.
    static func firstEnded(of lines: [SentRefreshes.Line]) -> Int? {
        // Swift's Glibc module hides `POLLRDHUP`.
        let ended = Int16(EPOLLRDHUP.rawValue)
        var states = lines.map { line in
            pollfd(fd: line.descriptor, events: line.isShared ? ended : ended | Int16(POLLIN), revents: 0)
        }
        guard !states.isEmpty, poll(&states, nfds_t(states.count), 0) > 0 else { return nil }
        return states.firstIndex { $0.revents != 0 }
    }

    // MARK: TCP

    /// Gives up a peer that leaves our bytes unacknowledged for `seconds`, and one that takes only a few KB at a time:
    /// to the kernel, its pauses add up (`TCP_USER_TIMEOUT` of tcp(7)). So it is for small messages, to clients that
    /// notice silence.
    func endWhenUnanswered(after seconds: Int32) {
        var milliseconds = seconds * 1000
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
    }

    /// `TCP_NOTSENT_LOWAT` of tcp(7). Without it the kernel buffers 4 MB for each reader that takes nothing.
    func limitUnsent(to bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
    }

    /// Whether the peer's kernel, or that of a proxy before it, has acknowledged everything that was to be written
    /// (`SIOCOUTQ` of tcp(7)).
    var hasConfirmedAll: Bool {
        var unconfirmed: Int32 = 0
        return !isBroken && !isBehind && ioctl(descriptor, UInt(TIOCOUTQ), &unconfirmed) == 0 && unconfirmed == 0
    }

    /// `tcpi_bytes_acked` (include/uapi/linux/tcp.h); 0 when it is not known.
    var confirmedBytes: UInt64 {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 32) { information in
            var length = socklen_t(information.count * MemoryLayout<UInt64>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, information.baseAddress, &length) == 0,
                length >= 128
            else { return 0 }
            return information[15]
        }
    }
}

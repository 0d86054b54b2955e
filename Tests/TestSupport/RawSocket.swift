import Glibc

public enum RawSocketError: Error, Equatable {
    case timedOut
    /// Blocks came in time, but no message among them.
    case noMessage(received: [String])
    /// The peer ended the connection before what was waited for.
    case closed
    case system(call: String, errno: Int32)
}

/// A blocking TCP connection to loopback. Every wait has a deadline, so that a test fails instead of hanging.
public final class RawSocket {
    private let descriptor: Int32
    /// How long one read or write may take.
    let timeout: Duration
    private var buffer: [UInt8] = []

    public init(port: Int, timeout: Duration = .seconds(30)) throws(RawSocketError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.timeout = timeout
        var address = sockaddr_in.loopback(port: port)
        let status = withSocketAddress(&address) { connect(descriptor, $0, $1) }
        guard status == 0 else { throw .system(call: "connect", errno: errno) }
    }

    /// Owns `descriptor` from now on.
    init(adopting descriptor: Int32, timeout: Duration = .seconds(30)) {
        self.descriptor = descriptor
        self.timeout = timeout
    }

    deinit {
        close(descriptor)
    }

    public func send(_ text: String) throws(RawSocketError) {
        try send(Array(text.utf8))
    }

    public func send(_ bytes: [UInt8]) throws(RawSocketError) {
        var rest = bytes[...]
        let deadline = Deadline(timeout)
        while !rest.isEmpty {
            try wait(for: POLLOUT, until: deadline)
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count >= 0 || errno == EAGAIN else { throw .system(call: "send", errno: errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Everything up to and including `mark`; what comes after it waits for the next read.
    public func read(until mark: String, by end: Deadline? = nil) throws(RawSocketError) -> String {
        let mark = Array(mark.utf8)
        let deadline = end ?? Deadline(timeout)
        var searched = 0
        while true {
            if let range = buffer[searched...].firstRange(of: mark) {
                return String(decoding: take(range.upperBound), as: UTF8.self)
            }
            // It may have begun in what has arrived.
            searched = max(0, buffer.count - mark.count + 1)
            guard try receive(deadline) else { throw .closed }
        }
    }

    public func read(count: Int, by end: Deadline? = nil) throws(RawSocketError) -> [UInt8] {
        let deadline = end ?? Deadline(timeout)
        while buffer.count < count {
            guard try receive(deadline) else { throw .closed }
        }
        return take(count)
    }

    /// What comes until the peer ends the connection.
    public func readToEnd() throws(RawSocketError) -> [UInt8] {
        let deadline = Deadline(timeout)
        while try receive(deadline) {}
        return take(buffer.count)
    }

    /// What comes until the peer ends the connection, politely or with a reset.
    public func readToEndOrReset() throws(RawSocketError) -> [UInt8] {
        let deadline = Deadline(timeout)
        do throws(RawSocketError) {
            while try receive(deadline) {}
        } catch {
            if error == .timedOut { throw error }
        }
        return take(buffer.count)
    }

    /// Whatever has arrived, or arrives next; empty at the end of the connection.
    public func readSome(by end: Deadline? = nil) throws(RawSocketError) -> [UInt8] {
        if buffer.isEmpty { _ = try receive(end ?? Deadline(timeout)) }
        return take(buffer.count)
    }

    /// Half close: the peer sees the end, and can still answer.
    public func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends without a farewell: the peer gets a reset once this object is gone.
    public func resetWhenClosed() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// A small window makes this side a slow reader.
    public func limitReceiveBuffer(to bytes: Int32) {
        var size = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private func take(_ count: Int) -> [UInt8] {
        let taken = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return taken
    }

    /// False at the end of the connection.
    private func receive(_ deadline: Deadline) throws(RawSocketError) -> Bool {
        try wait(for: POLLIN, until: deadline)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count >= 0 else { throw .system(call: "recv", errno: errno) }
        buffer += chunk.prefix(count)
        return count > 0
    }

    private func wait(for event: Int32, until deadline: Deadline) throws(RawSocketError) {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        guard poll(&request, 1, deadline.remainingMilliseconds) > 0 else { throw .timedOut }
    }
}

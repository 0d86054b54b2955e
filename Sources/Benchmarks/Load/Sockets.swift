import Glibc

/// TCP sockets on the loopback interface.
enum Sockets {
    /// Listens on any free port.
    static func listen() throws(BenchmarkError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withAddress(&address) {
            bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 4096) == 0
                && getsockname(descriptor, $0, &size) == 0
        }
        guard isListening else { throw .system("listen", errno) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects from 127.0.0.(1 + `source`): one address has ports for only 28,000 connections.
    static func connect(port: Int, source: Int = 0, isBlocking: Bool) throws(BenchmarkError) -> Int32 {
        let type = SOCK_STREAM.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, Int32(type), 0)
        guard descriptor >= 0 else { throw .system("socket (raise ulimit -n)", errno) }
        disableDelay(descriptor)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        if source > 0 {
            setOption(descriptor, level: Int32(IPPROTO_IP), option: IP_BIND_ADDRESS_NO_PORT)
            var origin = loopback(port: 0, host: 1 + source)
            guard withAddress(&origin, body: { bind(descriptor, $0, size) }) == 0 else { throw .system("bind", errno) }
        }
        var address = loopback(port: port)
        let status = withAddress(&address) { Glibc.connect(descriptor, $0, size) }
        guard status == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            throw .system("connect", code)
        }
        setNonBlocking(descriptor)
        return descriptor
    }

    static func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Closes the connection with a reset, without a goodbye.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    /// Sets how many bytes the kernel buffers for a reader; a slow reader needs few. The minimum is 4 KB.
    static func setReceiveBuffer(_ descriptor: Int32, bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    static func disableDelay(_ descriptor: Int32) {
        setOption(descriptor, level: Int32(IPPROTO_TCP), option: TCP_NODELAY)
    }

    /// Requests are small: if the kernel does not accept one at once, it has room a moment later.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor,
                    $0.baseAddress?.advanced(by: sent),
                    $0.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count > 0 {
                sent += count
            } else if count < 0, errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, 100)
            } else {
                return false
            }
        }
        return true
    }

    private static func setOption(_ descriptor: Int32, level: Int32, option: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func loopback(port: Int, host: Int = 1) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0000 + host).bigEndian
        return address
    }

    private static func withAddress<Result>(
        _ address: inout sockaddr_in,
        body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}

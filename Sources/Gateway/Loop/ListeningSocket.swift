internal import CWebSockets
internal import Glibc

/// A listening TCP socket of our own.
///
/// lws 4.1.6 sets `SO_REUSEPORT` only with several threads a context, which Debian's build has not, so
/// `LWS_SERVER_OPTION_ALLOW_LISTEN_SHARE` cannot give several contexts one port. We listen and accept.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int

    /// With `isShared` several sockets of this process take turns on one port. Port 0 is any free one.
    init?(address: String, port: Int, isShared: Bool) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else { return nil }
        defer { freeaddrinfo(found) }
        let type = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(info.ai_family, type, 0)
        guard descriptor >= 0 else { return nil }
        ListeningSocket.enable(SO_REUSEADDR, on: descriptor)
        // Connections inherit both (tcp(7), socket(7)): two system calls less for each.
        ListeningSocket.enable(TCP_NODELAY, level: Int32(IPPROTO_TCP), on: descriptor)
        ListeningSocket.enable(SO_KEEPALIVE, on: descriptor)
        if isShared { ListeningSocket.enable(SO_REUSEPORT, on: descriptor) }
        guard Glibc.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 4096) == 0,
            let bound = ListeningSocket.port(of: descriptor)
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.port = bound
    }

    /// One socket for each of `count` loops, on one port. Nil when another process listens there.
    static func group(address: String, port: Int, count: Int) -> [ListeningSocket]? {
        // Sharing would also share with another server of the same user: find that out before.
        if port != 0 {
            guard let probe = ListeningSocket(address: address, port: port, isShared: false) else { return nil }
            close(probe.descriptor)
        }
        guard let first = ListeningSocket(address: address, port: port, isShared: true) else { return nil }
        let others = (1..<max(1, count)).compactMap { _ in
            ListeningSocket(address: address, port: first.port, isShared: true)
        }
        return others.count == max(1, count) - 1 ? [first] + others : nil
    }

    /// What became of the connection that waited first.
    enum Accepted {
        /// It does not block, and its owner closes it.
        case connection(Int32, peer: IPAddress?)
        /// None waits.
        case nothing
        /// There was no descriptor for it, so it was closed: left alone it would wake the loop for ever.
        case dropped
        /// The system can neither take nor close it now, and reports it again and again: it is left for a moment.
        case stuck
    }

    /// `spare` is a descriptor that is given up for the moment of dropping one.
    func accept(sparing spare: inout Int32) -> Accepted {
        var storage = sockaddr_storage()
        let connection = acceptNext(&storage)
        if connection >= 0 { return .connection(connection, peer: IPAddress(storage)) }
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .nothing
        case EMFILE, ENFILE: return drop(sparing: &spare)
        default: return .stuck
        }
    }

    /// Another thread may be faster in taking what is given up here.
    private func drop(sparing spare: inout Int32) -> Accepted {
        if spare >= 0 { close(spare) }
        let connection = Glibc.accept(descriptor, nil, nil)
        if connection >= 0 { close(connection) }
        spare = ListeningSocket.spare()
        return connection >= 0 ? .dropped : .stuck
    }

    private func acceptNext(_ peer: inout sockaddr_storage) -> Int32 {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(descriptor, $0, &length, flags) }
        }
    }

    /// Ends a connection that nobody will serve.
    static func drop(_ connection: Int32) {
        close(connection)
    }

    /// A descriptor held back for the moment when there are no others.
    static func spare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    private static func enable(_ option: Int32, level: Int32 = SOL_SOCKET, on descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        // The port stands at the same place, in network order, in IPv4's and IPv6's form.
        return withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
    }
}

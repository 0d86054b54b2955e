import CLinux
import Glibc

/// A TCP socket that is bound, and listens from `listen` on, unless it did before.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    private let address: String
    /// The port that it is bound to.
    let port: Int

    /// With `isShared`, several sockets of this process take turns on one port. Port 0 means any free port.
    init(address: String, port: Int, isShared: Bool) throws(SocketSetupError) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else {
            throw .cannotListen(at: address, port: port, number: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        let type = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(info.ai_family, type, 0)
        guard descriptor >= 0 else {
            throw .cannotListen(at: address, port: port, number: errno)
        }
        ListeningSocket.enable(SO_REUSEADDR, on: descriptor)
        ListeningSocket.prepareConnections(of: descriptor)
        if isShared { ListeningSocket.enable(SO_REUSEPORT, on: descriptor) }
        guard Glibc.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0,
            let bound = ListeningSocket.place(of: descriptor)
        else {
            let number = errno
            close(descriptor)
            let holder = number == EADDRINUSE ? PortHolder.find(at: info.ai_addr, port: port) : nil
            throw .cannotListen(at: address, port: port, number: number, holder: holder)
        }
        self.descriptor = descriptor
        self.address = address
        self.port = ListeningSocket.port(in: bound)
    }

    /// A descriptor of our own for a socket that listens already: closing it ends nothing.
    init(_ inherited: InheritedSocket) throws(SocketSetupError) {
        descriptor = fcntl(inherited.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .noDescriptors }
        (address, port) = (inherited.address, inherited.port)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        ListeningSocket.prepareConnections(of: descriptor)
    }

    /// Lets clients connect.
    func listen() throws(SocketSetupError) {
        guard Glibc.listen(descriptor, 4096) == 0 else {
            throw .cannotListen(at: address, port: port, number: errno)
        }
    }

    private static func prepareConnections(of descriptor: Int32) {
        // Connections inherit these two options (tcp(7), socket(7)), which saves two system calls for each.
        enable(TCP_NODELAY, level: Int32(IPPROTO_TCP), on: descriptor)
        enable(SO_KEEPALIVE, on: descriptor)
        // A client speaks first: a connection is reported together with its first bytes, or after a second without any,
        // so a loop wakes once for it instead of twice.
        enable(TCP_DEFER_ACCEPT, level: Int32(IPPROTO_TCP), on: descriptor)
    }

    private static func enable(_ option: Int32, level: Int32 = SOL_SOCKET, on descriptor: Int32) {
        var value: Int32 = 1
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Where a socket is bound. Nil for a descriptor of anything else.
    static func place(of descriptor: Int32) -> sockaddr_storage? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return status == 0 ? storage : nil
    }

    /// IPv4 and IPv6 addresses hold the port at the same offset, in network order.
    static func port(in place: sockaddr_storage) -> Int {
        withUnsafeBytes(of: place) { Int($0[2]) << 8 | Int($0[3]) }
    }
}

/// Why there are no sockets to serve with, and what to do.
public struct SocketSetupError: Error, Equatable, CustomStringConvertible {
    public let description: String

    /// The process may open no more files.
    public static let noDescriptors = SocketSetupError(
        description: "too few files may be open to serve: raise the limit of open files (ulimit -n)"
    )
    /// epoll_ctl(2) has failed.
    static let cannotWatch = SocketSetupError(
        description: "the kernel watches no more sockets: raise the limit (sysctl fs.epoll.max_user_watches)"
    )
    /// OpenSSL could not create a context.
    static let noTLS = SocketSetupError(description: "OpenSSL cannot start: is libssl3 installed completely?")

    /// The system does not let this process listen at an address: a call failed with `number` in `errno`. `holder` listens
    /// there; nil if nobody does, or if it is another user's process.
    static func cannotListen(
        at address: String,
        port: Int,
        number: Int32,
        holder: PortHolder? = nil
    ) -> SocketSetupError {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        let todo = todo(at: address, port: port, number: number, holder: holder)
        return SocketSetupError(
            description: "cannot listen on \(place): \(String(cString: strerror(number))): \(todo)"
        )
    }

    private static func todo(at address: String, port: Int, number: Int32, holder: PortHolder?) -> String {
        switch number {
        case EADDRINUSE:
            let unknown = "another user's program has it, and “ss -ltnp” as root names it"
            let holder = holder.map { "\($0) listens there" } ?? unknown
            return "\(holder); stop it, or choose another port with --port (0 for any free one)"
        case EADDRNOTAVAIL:
            return "this machine has no such address; choose one of “ip address” with --bind or PAYCAST_BIND, or "
                + "0.0.0.0 or :: for all. A public address that a router or a cloud translates is not this machine's"
        case EACCES where port < 1024:
            return "a port below 1024 needs a right; choose a higher one with --port, or give the service "
                + "AmbientCapabilities=CAP_NET_BIND_SERVICE"
        case EACCES, EPERM:
            return "the system's rules (SELinux, AppArmor, seccomp) forbid it; allow it, or choose another port with "
                + "--port"
        case EINVAL where address.lowercased().hasPrefix("fe80:"):
            return "an address that begins with fe80: means nothing without its interface; choose another with --bind "
                + "or PAYCAST_BIND, or :: for all"
        case EAFNOSUPPORT: return "this machine has no IPv6; choose an IPv4 address with --bind or PAYCAST_BIND"
        default: return "choose another address with --bind, or another port with --port"
        }
    }
}

internal import Glibc

/// Why there are no sockets to serve with.
public enum SocketSetupError: Error, Equatable, CustomStringConvertible {
    case cannotListen(ListenFault)
    /// The process may open no more files.
    case noDescriptors
    /// epoll_ctl(2) has failed.
    case cannotWatch
    /// OpenSSL could not create a context.
    case noTLS

    public var description: String {
        switch self {
        case .cannotListen(let fault): fault.description
        case .noDescriptors: "too few files may be open to serve: raise the limit of open files (ulimit -n)"
        case .cannotWatch: "the kernel watches no more sockets: raise the limit (sysctl fs.epoll.max_user_watches)"
        case .noTLS: "OpenSSL cannot start: is libssl3 installed completely?"
        }
    }
}

/// Why the system does not let this process listen at an address.
public struct ListenFault: Error, Equatable, CustomStringConvertible {
    public let address: String
    public let port: Int
    /// `errno` of the call that failed.
    let number: Int32
    /// Who listens there; nil if nobody does, or if it is another user's process.
    let holder: PortHolder?

    public var description: String {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        return "cannot listen on \(place): \(String(cString: strerror(number))): \(todo)"
    }

    private var todo: String {
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

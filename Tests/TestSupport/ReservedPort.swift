import Glibc

/// A loopback port that stays reserved while this object lives. The kernel never picks it as a free port, but a server
/// with `SO_REUSEADDR`, as all have it, can listen on it at any time. Until then nothing listens there.
///
/// A port that was free a moment ago may be taken: while servers start, hundreds of connections get ports of their own.
public final class ReservedPort: Sendable {
    /// Nothing ever listens there.
    public static let unused = ReservedPort()

    public let number: Int
    private let descriptor: Int32

    public init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        number = bindToAnyPort(descriptor)
    }

    public var url: String { "http://127.0.0.1:\(number)" }

    deinit {
        close(descriptor)
    }
}

/// The port that it has then.
func bindToAnyPort(_ descriptor: Int32) -> Int {
    var address = sockaddr_in.loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withSocketAddress(&address) { bind(descriptor, $0, $1) == 0 }
    _ = withSocketAddress(&address) { pointer, _ in getsockname(descriptor, pointer, &size) }
    precondition(isBound, "no free port on loopback: \(errno)")
    return Int(in_port_t(bigEndian: address.sin_port))
}

import Glibc

/// Stands where systemd listens: a datagram is a word of the service.
public final class DatagramSocket: Sendable {
    /// As `NOTIFY_SOCKET` names it.
    public let name: String
    private let descriptor: Int32

    /// `isAbstract`: a name of the kernel's, no file.
    public init(at path: String, isAbstract: Bool) throws {
        name = (isAbstract ? "@" : "") + path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw RawSocketError.closed }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// The next one; throws after 30 s without any.
    public func receive() throws(RawSocketError) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw .timedOut }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

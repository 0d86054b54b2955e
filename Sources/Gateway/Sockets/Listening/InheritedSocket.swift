import CLinux
import Glibc
import HTTP

/// A listening socket that whoever started this process holds open for it, and for the next one (sd_listen_fds(3)): between
/// the two, connections wait in its queue, and nobody is refused. It stays open here until the process ends, so that a
/// restart within the process keeps it, too.
public struct InheritedSocket: Sendable {
    let descriptor: Int32
    /// An IP address.
    public let address: String
    public let port: Int

    /// Nil if the descriptor is not a TCP socket that listens.
    public init?(_ descriptor: Int32) {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 1,
            let place = ListeningSocket.place(of: descriptor), let address = IPAddress(place)
        else { return nil }
        self.descriptor = descriptor
        self.address = address.description
        port = ListeningSocket.port(in: place)
    }

    /// Whether a program that takes this one's place gets it. No other program does.
    public func passOn(_ isPassed: Bool) {
        _ = fcntl(descriptor, F_SETFD, isPassed ? 0 : FD_CLOEXEC)
    }
}

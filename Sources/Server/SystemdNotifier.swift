import Glibc
import Support

/// Tells systemd about this process, over the socket that systemd names; without systemd, it does nothing
/// (https://www.freedesktop.org/software/systemd/man/sd_notify.html).
struct SystemdNotifier: Sendable {
    enum News: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
    }

    /// The bytes of the socket's address; the first one is 0 for an abstract name, which is not in the file system.
    private let path: [UInt8]?
    /// The time after which systemd ends a process that has not reported. Nil if systemd does not watch.
    let patience: Duration?

    init(environment: [String: String], process: pid_t = getpid()) {
        var path = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
        let isKnown = path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "@")
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        self.path = isKnown && path.count < SystemdNotifier.longestPath ? path : nil
        // Variables are inherited: they may be meant for the process that started this one.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        patience = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Returns false if the message was not sent.
    @discardableResult
    func notify(_ news: News) -> Bool {
        guard let path else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let text = Array(news.rawValue.utf8)
        // A manager that does not read must not stop the server.
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(descriptor, text, text.count, flags, address, length) == text.count
            }
        }
    }

    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// A thread that reports to systemd that the server is alive, each time a probe of the server has returned. While a
    /// probe hangs, systemd hears nothing and in the end restarts the server. End it before the probed parts go away.
    /// Nil if systemd does not watch this process.
    func watchdog(probe: @escaping @Sendable () -> Void) -> Routine? {
        guard let patience else { return nil }
        let routine = Routine()
        routine.start("watchdog", state: ()) { _ in
            probe()
            notify(.alive)
            return patience / 3
        }
        return routine
    }
}

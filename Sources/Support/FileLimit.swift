import Glibc

/// How many files and sockets this process may have open.
public enum FileLimit {
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    /// The hard limit.
    public static func highest() -> Int { limit.map { Int(clamping: $0.rlim_max) } ?? 1024 }

    /// How many may be open now.
    static var soft: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? 0 }

    /// Whether `count` more files can be opened now.
    public static func hasRoom(for count: Int) -> Bool {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        while opened.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            opened.append(descriptor)
        }
        return true
    }

    /// Sets the soft limit of open files to `count`, or to the hard limit if that is lower. Every page takes one.
    public static func set(_ count: Int) {
        guard var limit else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        _ = setrlimit(resource, &limit)
    }
}

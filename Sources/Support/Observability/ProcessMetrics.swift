import CLinux
public import Domain
import Glibc

/// What every Prometheus client library shows of its process, under the same names
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
public enum ProcessMetrics {
    /// `version` has no quotes or backslashes. `start` is when this process began.
    public static func register(in metrics: Metrics, version: String, start: Instant) {
        let build = ["version": version] as KeyValuePairs
        metrics.gauge(.build, labels: build).set(1)
        metrics.gauge(.processStart).set(Int(start.seconds))
        metrics.gauge(.residentMemory) { residentBytes }
        metrics.gauge(.openFiles) { openFiles }
        metrics.gauge(.mostFiles) { FileLimit.soft }
    }

    /// The second number of /proc/self/statm, in pages.
    private static var residentBytes: Int {
        let numbers = contents(of: "/proc/self/statm")?.split(separator: " ") ?? []
        let pages = numbers.dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// From Linux 6.2 on the folder's size says it; before, its entries are counted, which takes 1 µs each.
    private static var openFiles: Int {
        var information = stat()
        if stat("/proc/self/fd", &information) == 0, information.st_size > 0 { return information.st_size }
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without “.”, “..” and the folder itself.
        return max(0, count - 3)
    }
}

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

/// The memory of this process.
public enum Allocator {
    /// Returns free memory to the system (malloc_trim(3)): otherwise the allocator keeps it after a crowd has left.
    public static func trim() {
        malloc_trim(0)
    }
}

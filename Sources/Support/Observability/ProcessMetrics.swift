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

/// The memory of this process.
public enum Allocator {
    /// Returns free memory to the system (malloc_trim(3)): otherwise the allocator keeps it after a crowd has left.
    public static func trim() {
        malloc_trim(0)
    }
}

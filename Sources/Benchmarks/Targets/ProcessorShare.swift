import Glibc

/// Gives a process a part of one core, as a small machine of its own would have, by a control group
/// (https://docs.kernel.org/scheduler/sched-bwc.html).
final class ProcessorShare {
    /// Short, so that nothing waits long for its turn.
    private static let period = 10_000
    /// Where the kernel has the groups, and what limits one: in the older form, and in the newer.
    private static func forms(quota: Int) -> [(root: String, limits: [(String, String)])] {
        [
            ("/sys/fs/cgroup/cpu", [("cpu.cfs_period_us", "\(period)"), ("cpu.cfs_quota_us", "\(quota)")]),
            ("/sys/fs/cgroup", [("cpu.max", "\(quota) \(period)")]),
        ]
    }

    private var root = ""
    private let process: pid_t

    private var folder: String { "\(root)/paycast-benchmark-\(process)" }

    /// Whether this user may make control groups.
    static var isPossible: Bool { ProcessorShare(percent: 100, of: getpid()) != nil }

    /// `percent` of a core. Nil where this user may not make control groups.
    init?(percent: Int, of process: pid_t) {
        self.process = process
        for (root, limits) in ProcessorShare.forms(quota: ProcessorShare.period * percent / 100) {
            self.root = root
            guard mkdir(folder, 0o755) == 0 else { continue }
            let settings = limits + [("cgroup.procs", "\(process)")]
            if settings.allSatisfy({ ProcessorShare.write($1, to: "\(folder)/\($0)") }) { return }
            rmdir(folder)
        }
        return nil
    }

    /// A group has to be empty before it can be removed.
    deinit {
        _ = ProcessorShare.write("\(process)", to: root + "/cgroup.procs")
        rmdir(folder)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }
}

import Glibc

/// The kernel's figures about a process (https://docs.kernel.org/filesystems/proc.html).
struct ProcessFigures {
    let id: pid_t

    /// The CPU time of all its threads in microseconds, with nanosecond precision.
    var processorTime: Double {
        let folder = "/proc/\(id)/task"
        return names(in: folder).reduce(0) { sum, thread in
            let nanoseconds = text(of: "\(folder)/\(thread)/schedstat").split(separator: " ").first.flatMap {
                Double($0)
            }
            return sum + (nanoseconds ?? 0) / 1000
        }
    }

    /// The CPU time of its child processes that still run, in microseconds.
    var childrensProcessorTime: Double {
        let children = names(in: "/proc").compactMap { pid_t($0) }.filter { child in
            // The fourth word is the parent; the second one, in brackets, may hold spaces.
            let words = text(of: "/proc/\(child)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            return words.count > 1 && pid_t(words[1]) == id
        }
        return children.reduce(0) { $0 + ProcessFigures(id: $1).processorTime }
    }

    /// What it has made the kernel write to a disk.
    var bytesWritten: Double {
        let line = text(of: "/proc/\(id)/io").split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? .nan
    }

    /// The resident memory in kilobytes.
    var residentMemory: Double {
        let lines = text(of: "/proc/\(id)/status").split(separator: "\n")
        let words = lines.first { $0.hasPrefix("VmRSS:") }?.split { $0 == " " || $0 == "\t" }
        return words.flatMap { $0.count > 1 ? Double($0[1]) : nil } ?? 0
    }

    /// Turns the loop until the process is idle: less than 2 % of a core. Thousands of Action Cable clients get a ping
    /// every 3 s, so the limit for them is 8 %.
    func waitUntilIdle(_ loop: LoadLoop, pinging: Bool = false) throws(BenchmarkError) {
        var last = processorTime
        var quietSince = ContinuousClock.now
        try loop.turn(until: "the server to settle") {
            guard ContinuousClock.now - quietSince > .milliseconds(100) else { return false }
            let now = processorTime
            defer { (last, quietSince) = (now, .now) }
            return now - last < (pinging ? 8000 : 2000)
        }
    }
}

private func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}

func fileSize(_ path: String) -> Double {
    var status = stat()
    return stat(path, &status) == 0 ? Double(status.st_size) : .nan
}

func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

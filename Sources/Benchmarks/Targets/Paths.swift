internal import Glibc

/// Where things lie.
enum Paths {
    /// The folder of this program, and of `paycast` beside it.
    static let programs: String = {
        let program = String(decoding: link("/proc/self/exe"), as: UTF8.self)
        return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    }()

    /// Where it was started: the package's folder.
    static let workingFolder = String(decoding: link("/proc/self/cwd"), as: UTF8.self)

    private static func link(_ path: String) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink(path, $0, text.count) } ?? 0
            }
        }
        return bytes.prefix(max(0, count))
    }
}

/// A folder that is gone when its owner is.
final class TemporaryFolder {
    let path: String

    init() throws(BenchmarkError) {
        var template = Array("/tmp/paycast-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("mkdtemp", errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        _ = try? Child.run(["/bin/rm", "-rf", path])
    }
}

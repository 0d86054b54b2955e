import Glibc

/// The places of files.
enum Paths {
    /// The folder of this program, which also contains `paycast`.
    static let programs: String = {
        let program = String(decoding: link("/proc/self/exe"), as: UTF8.self)
        return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    }()

    /// The folder in which it was started: the package's folder.
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

/// Calls `body` with a new folder and deletes the folder afterwards.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/paycast-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchmarkError.system("mkdtemp", errno) }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { _ = try? ChildProcess.run(["/bin/rm", "-rf", path]) }
    return try body(path)
}

/// Runs a server in its own folder until `body` ends.
func with<Server: Target, Result>(
    _ start: (String) throws -> Server,
    _ body: (Server) throws -> Result
) throws -> Result {
    try withTemporaryFolder { folder in
        let target = try start(folder)
        return try withExtendedLifetime(target) { try body(target) }
    }
}

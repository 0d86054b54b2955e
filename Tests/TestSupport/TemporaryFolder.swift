import Glibc

/// An empty folder that is gone, with all in it, when this object is.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() {
        var template = Array("/tmp/paycast-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "mkdtemp: \(errno)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove() }

    func remove() {
        let process = spawn("rm", ["-rf", path], [:], "/", [])
        waitpid(process, nil, 0)
    }

    /// The path of something in it; missing folders on the way are made.
    public func path(_ name: String) -> String {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        return path + "/" + name
    }

    @discardableResult
    public func write(_ text: String, to name: String) -> String {
        let path = path(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "\(path): \(errno)")
        let bytes = Array(text.utf8)
        let count = Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "\(path): \(errno)")
        close(descriptor)
        return path
    }

    public func remove(_ name: String) {
        precondition(unlink(path + "/" + name) == 0, "\(name): \(errno)")
    }

    /// Nil when there is no such file.
    public func read(_ name: String) -> String? {
        readFile(path + "/" + name)
    }

    /// What lies in it, sorted.
    public var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    public func contains(_ name: String) -> Bool {
        access(path + "/" + name, F_OK) == 0
    }
}

/// Nil when there is no such file.
public func readFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk.prefix(count)
    }
}

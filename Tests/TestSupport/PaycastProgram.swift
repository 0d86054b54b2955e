internal import Glibc

/// The built `paycast`, and where the package lies.
public enum PaycastProgram {
    /// Beside the test bundle that runs now.
    public static let path: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return folder(of: own) + "/paycast"
    }()

    /// The package's root.
    public static let root: String = folder(of: folder(of: folder(of: #filePath)))

    /// Starts `paycast` with these words.
    public static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        folder: String = "/tmp",
        input: String = ""
    ) -> RunningProcess {
        RunningProcess(path, arguments, environment: environment, folder: folder, input: input)
    }
}

private func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
}

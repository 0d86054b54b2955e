import Glibc

/// The built `paycast`, and where the package lies.
public enum PaycastProgram {
    /// Where the test bundle that runs now lies, and the programs beside it.
    public static let folder: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return parent(of: own)
    }()

    public static let path = folder + "/paycast"

    /// The package's root.
    public static let root: String = parent(of: parent(of: parent(of: #filePath)))

    /// Starts `paycast` with these words.
    public static func start(
        _ arguments: [String],
        program: String = path,
        environment: [String: String] = [:],
        folder: String = "/tmp",
        input: String = ""
    ) -> RunningProcess {
        RunningProcess(program, arguments: arguments, environment: environment, folder: folder, input: input)
    }
}

private func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
}

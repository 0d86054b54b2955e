internal import Glibc

/// The working folder's `.paycast/`, where a development server leaves what the other commands need.
public struct Workspace {
    private let folder = ".paycast"

    public init() {}

    /// The address on which the server listens.
    public var address: String? { firstLine(of: "address") }
    public var apiKey: String? { firstLine(of: "api.key") }
    public var streamKey: String? { firstLine(of: "stream.key") }

    private func firstLine(of name: String) -> String? {
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        let line = bytes.prefix(max(0, count)).prefix { $0 >= 32 }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

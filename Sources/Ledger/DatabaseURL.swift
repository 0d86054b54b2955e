/// Where the ledger is: `DATABASE_URL`.
public struct DatabaseURL: Sendable, Equatable {
    public enum Failure: Error, Equatable, CustomStringConvertible {
        case unknownScheme
        case missingPath
        case notAPath

        public var description: String {
            switch self {
            case .unknownScheme: "is not sqlite:PATH, as in sqlite:paycast.db; PostgreSQL comes later"
            case .missingPath: "has no path; write sqlite:paycast.db"
            case .notAPath: "its path must name one file, without control characters, and not be :memory:"
            }
        }
    }

    /// A file's path, relative to the working directory or absolute.
    public let path: String

    /// Reads `sqlite:path`, `sqlite:/path` or `sqlite:///path`.
    public init(_ text: String) throws(Failure) {
        guard text.hasPrefix("sqlite:") else { throw .unknownScheme }
        var path = text.dropFirst("sqlite:".count)
        // An empty authority, as in file URLs (RFC 8089).
        if path.hasPrefix("//") { path = path.dropFirst(2) }
        guard !path.isEmpty else { throw .missingPath }
        let hasControl = path.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl, path != ":memory:", path.last != "/" else { throw .notAPath }
        self.path = String(path)
    }
}

/// Where the ledger is: `DATABASE_URL`.
public struct DatabaseURL: Sendable, Equatable {
    public enum Failure: Error, Equatable, CustomStringConvertible {
        case unknownScheme
        case missingPath
        case notAPath
        case namesAHost

        public var description: String {
            switch self {
            case .unknownScheme: "is not sqlite:PATH, as in sqlite:paycast.db; PostgreSQL comes later"
            case .missingPath: "has no path; write sqlite:paycast.db"
            case .namesAHost: "has two slashes followed by a host; write sqlite:paycast.db or sqlite:///PATH"
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
        let hasAuthority = path.hasPrefix("//")
        if hasAuthority { path = path.dropFirst(2) }
        guard !path.isEmpty else { throw .missingPath }
        // A host may come with a password, which errors would show as part of the ledger's path.
        guard !hasAuthority || path.hasPrefix("/") else { throw .namesAHost }
        let hasControl = path.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl, path != ":memory:", path.last != "/" else { throw .notAPath }
        self.path = String(path)
    }
}

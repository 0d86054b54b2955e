/// The place of the ledger: `DATABASE_URL`.
public enum DatabaseURL: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// A file's path, relative to the working directory or absolute.
    case sqlite(path: String)
    /// The whole URL, as libpq takes it. It may hold a password: never print it.
    case postgres(String)

    /// Safe to print.
    public var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres: "PostgreSQL"
        }
    }

    /// Whether other nodes may use it too.
    public var isShared: Bool { if case .postgres = self { true } else { false } }

    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    public enum Failure: String, Error, CustomStringConvertible {
        case unknownScheme =
            "is neither sqlite:PATH, as in sqlite:paycast.db, nor postgres://USER:PASSWORD@HOST/DATABASE"
        case missingPath = "has no path; write sqlite:paycast.db"
        case notAPath = "its path must name one file, without control characters, and not be :memory:"
        case namesAHost = "has two slashes followed by a host; write sqlite:paycast.db or sqlite:///PATH"
        case query = "has a query (?…), which Paycast does not read for SQLite"

        public var description: String { rawValue }
    }

    /// Reads `sqlite:path`, `sqlite:/path`, `sqlite:///path`, `postgres://…` or `postgresql://…`. libpq checks the rest
    /// of the latter two.
    public init(_ text: String) throws(Failure) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgres(text)
        } else {
            self = .sqlite(path: try DatabaseURL.path(text))
        }
    }

    /// The path of a file after one of `schemes`.
    public static func path(
        _ text: String,
        after schemes: [String] = ["sqlite:"],
        refusesQuery: Bool = false
    ) throws(Failure) -> String {
        guard let scheme = schemes.first(where: text.hasPrefix) else { throw .unknownScheme }
        var path = text.dropFirst(scheme.count)
        // An empty authority, as in file URLs (RFC 8089).
        let hasAuthority = path.hasPrefix("//")
        if hasAuthority { path = path.dropFirst(2) }
        guard !path.isEmpty else { throw .missingPath }
        // A host may come with a password, which errors would show as part of the path.
        guard !hasAuthority || path.hasPrefix("/") else { throw .namesAHost }
        guard !refusesQuery || !path.contains("?") else { throw .query }
        let hasControl = path.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl, path != ":memory:", path.last != "/" else { throw .notAPath }
        return String(path)
    }
}

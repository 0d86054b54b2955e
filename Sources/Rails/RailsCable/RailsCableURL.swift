public import Ledger

/// Where a Rails app's cable database is: `PAYCAST_RAILS_CABLE_URL`. Its description never shows user or password.
public enum RailsCableURL: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// A file's path, relative to the working directory or absolute.
    case sqlite(path: String)
    case postgres(PostgresURL)

    /// In words for the operator, without the text itself.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads `sqlite:path`, or `sqlite3:path` as `DATABASE_URL` has it in Rails, `postgres://…` or `postgresql://…`.
    public init(_ text: String) throws(Failure) {
        do {
            if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
                self = .postgres(try PostgresURL(text))
            } else {
                self = .sqlite(path: try DatabaseURL.path(text, after: ["sqlite:", "sqlite3:"], refusesQuery: true))
            }
        } catch {
            throw Failure(description: RailsCableURL.problem(of: error))
        }
    }

    private static func problem(of error: any Error) -> String {
        switch error as? DatabaseURL.Failure {
        case .unknownScheme:
            "is neither sqlite:PATH, as in sqlite:/rails/storage/production_cable.sqlite3, nor "
                + "postgres://USER:PASSWORD@HOST/DATABASE"
        case .missingPath: "has no path; write sqlite:/rails/storage/production_cable.sqlite3"
        case .namesAHost: "has two slashes followed by a host; write sqlite:PATH or sqlite:///PATH"
        case .notAPath, .query, nil: "\(error)"
        }
    }

    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let url): "\(url)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

/// Which broadcasts to read.
public struct RailsCableSettings: Sendable, Equatable {
    /// `PAYCAST_RAILS_CABLE_URL`.
    public var url: RailsCableURL
    /// `PAYCAST_RAILS_CABLE_PREFIX`: the `channel_prefix` of the Rails app's `config/cable.yml`. If nil, every channel
    /// counts as a stream.
    public var prefix: String?
    /// `PAYCAST_RAILS_CABLE_ADAPTER`; nil if the database decides, by whether it has Solid Cable's table.
    public var adapter: RailsCableAdapter?
    /// How many streams the adapter `postgresql` listens to. PostgreSQL looks through all of them for each notification in
    /// the database, some 0.03 ms of its processor for as many.
    public var streamLimit = 10_000

    public init(url: RailsCableURL, prefix: String? = nil, adapter: RailsCableAdapter? = nil) {
        self.url = url
        self.prefix = prefix
        self.adapter = adapter
    }

    /// Whether pages' streams have to be known in order to hear what is broadcast to them.
    public var needsStreams: Bool {
        if case .postgres = url { adapter != .solidCable } else { false }
    }
}

/// The adapter in the Rails app's `config/cable.yml`.
public enum RailsCableAdapter: String, CaseIterable, Sendable {
    case solidCable = "solid_cable"
    case postgresql
}

public import Ledger
public import PostgresLedger

/// Where a Rails app's cable database is: `PAYCAST_RAILS_CABLE_URL`. Its description never shows user or password.
public enum RailsCableURL: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// A file's path, relative to the working directory or absolute.
    case sqlite(path: String)
    case postgres(PostgresURL)

    public enum Failure: Error, Equatable, CustomStringConvertible {
        case file(DatabaseURL.Failure)
        case postgres(PostgresURL.Failure)

        public var description: String {
            switch self {
            case .file(.unknownScheme):
                "is neither sqlite:PATH, as in sqlite:/rails/storage/production_cable.sqlite3, nor "
                    + "postgres://USER:PASSWORD@HOST/DATABASE"
            case .file(.missingPath): "has no path; write sqlite:/rails/storage/production_cable.sqlite3"
            case .file(.namesAHost): "has two slashes followed by a host; write sqlite:PATH or sqlite:///PATH"
            case .file(let failure): "\(failure)"
            case .postgres(let failure): "\(failure)"
            }
        }
    }

    /// Reads `sqlite:path`, or `sqlite3:path` as `DATABASE_URL` has it in Rails, `postgres://…` or `postgresql://…`.
    public init(_ text: String) throws(Failure) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            do throws(PostgresURL.Failure) {
                self = .postgres(try PostgresURL(text))
            } catch {
                throw .postgres(error)
            }
        } else {
            do throws(DatabaseURL.Failure) {
                let schemes = ["sqlite:", "sqlite3:"]
                self = .sqlite(path: try DatabaseURL.path(text, after: schemes, refusesQuery: true))
            } catch {
                throw .file(error)
            }
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

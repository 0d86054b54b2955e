public import Admission
public import Domain
public import LedgerInterface
public import Observability
public import Postgres
public import RailsCable
public import RailsRedis
public import Settings
public import StoreInterface
public import Stores

/// Everything that can be set, read once at start: flag, else environment, else default.
///
/// An empty variable counts as not set. The description shows no secrets.
public struct Configuration: Sendable {
    /// `--port`, `PORT`, 8080. 0 is any free port.
    public var port: Int
    /// `--bind`, `PAYCAST_BIND`, 127.0.0.1. An IP address or `localhost`.
    public var bind: String
    /// `--database`, `DATABASE_URL`, `sqlite:paycast.db`: a file's path, or PostgreSQL's URL.
    public var database: DatabaseURL
    /// `PAYCAST_LISTEN_URL`: the address at which PostgreSQL's notifications arrive, if they do not at the ledger's.
    public var listenURL: PostgresURL?
    /// `--public`, `PAYCAST_PUBLIC`, `public`. Nil if the default folder does not exist.
    public var publicFolder: String?
    /// `--loops`, `PAYCAST_LOOPS`, number of cores. 1…64.
    public var loops: Int
    /// Nil if the server speaks unencrypted HTTP.
    public var tls: TLS?
    /// `--dev`; there is no variable, so that an environment cannot switch it on.
    public var isDevelopment: Bool
    /// `--log-format`, `PAYCAST_LOG_FORMAT`, text.
    public var logFormat: Log.Format
    /// `--log-level`, `PAYCAST_LOG_LEVEL`, info.
    public var logLevel: Log.Level
    /// `PAYCAST_DEV_NOW`, with `--dev` only: the time at which the clock starts.
    public var developmentNow: Instant?

    /// `PAYCAST_API_KEY`: bearer keys of the API routes; without one, these routes answer 401.
    public var apiKeys: [Secret]
    /// `SECRET_KEY_BASE` of a Rails app.
    public var secretKeyBase: Secret?
    /// `PAYCAST_STREAM_KEYS`: the first one signs.
    public var streamKeys: [Secret]
    /// `PAYCAST_STREAM_NAME`, `user:{user}:paywall`.
    public var streamPattern: StreamPattern
    /// `PAYCAST_ALLOWED_ORIGINS`: allowed in addition to the server's own origin.
    public var allowedOrigins: Allowlist<String>
    /// `PAYCAST_TRUSTED_PROXIES`: the proxies whose `X-Forwarded-…` headers count.
    public var trustedProxies: TrustedProxies
    /// `PAYCAST_MAX_…` and `PAYCAST_…_SECONDS`.
    public var limits: Limits

    /// `REDIS_URL`, `PAYCAST_REDIS_PREFIX`: the Redis in which a Rails app broadcasts; nil if the server listens to
    /// none.
    public var redis: RedisSettings?
    /// `PAYCAST_RAILS_CABLE_URL`, `…_PREFIX`, `…_ADAPTER`: the database through which a Rails app broadcasts; nil if the
    /// server reads none.
    public var railsCable: CableSettings?

    /// All stores that Paycast knows, each with its own settings.
    public var stores: [any Store]
    /// `PAYCAST_SANDBOX_USERS`: the users whom a Sandbox purchase gives access. `PAYCAST_CATALOG`: the app's
    /// description of its products. `PAYCAST_TRANSFERS`: the effect of a claim on another user's contract.
    public var accessPolicy: AccessPolicy

    /// `PAYCAST_RETENTION_DAYS`: the time for which bodies and fragments are kept; nil for ever.
    public var retentionDays: Int?
    /// `PAYCAST_FORWARD`: the URLs to which every Sandbox notification from Apple is also posted.
    public var forward: [String]

    /// Settings that are allowed but probably unintended, one sentence each, for the log at start.
    public var warnings: [String]

    /// `flags` are keyed by name (`--port`). Throws all problems at once.
    public init(
        flags: [String: String] = [:],
        isDevelopment: Bool = false,
        environment: [String: String],
        stores: [any Store.Type] = Stores.all
    ) throws(ConfigurationError) {
        var reader = SettingsReader(flags: flags, environment: environment, isDevelopment: isDevelopment)
        self.init(&reader, stores: stores)
        guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
    }

    /// Reads what it can. A wrong setting gets its default here; the reader keeps its problem.
    init(_ reader: inout SettingsReader, stores: [any Store.Type]) {
        isDevelopment = reader.isDevelopment
        port = reader.number("PORT", flag: "--port", default: 8080, in: 0...65_535)
        bind = reader.bind()
        database = reader.database()
        listenURL = reader.listenURL(of: database)
        publicFolder = reader.publicFolder()
        loops = reader.number("PAYCAST_LOOPS", flag: "--loops", default: coreCount(), in: 1...64)
        tls = reader.tls()
        logFormat = reader.choice("PAYCAST_LOG_FORMAT", flag: "--log-format", default: .text, among: Log.Format.named)
        logLevel = reader.choice("PAYCAST_LOG_LEVEL", flag: "--log-level", default: .info, among: Log.Level.named)
        developmentNow = reader.developmentNow()

        apiKeys = reader.secrets("PAYCAST_API_KEY")
        secretKeyBase = reader.secret("SECRET_KEY_BASE")
        streamKeys = reader.secrets("PAYCAST_STREAM_KEYS")
        streamPattern = reader.streamPattern()
        allowedOrigins = reader.allowedOrigins()
        trustedProxies = reader.trustedProxies()
        limits = reader.limits(loops: loops)

        redis = reader.redis()
        railsCable = reader.railsCable(beside: database)

        self.stores = stores.map { $0.init(&reader) }
        let environments = Configuration.environments(self.stores)
        accessPolicy = reader.accessPolicy(of: self.stores, serving: environments)
        forward = reader.forward(serving: environments)
        retentionDays = reader.retentionDays()

        if apiKeys.isEmpty && !isDevelopment {
            reader.warn("PAYCAST_API_KEY is not set: the API routes answer 401 to everyone")
        }
        reader.rejectUnknown()
        warnings = reader.warnings
    }
}

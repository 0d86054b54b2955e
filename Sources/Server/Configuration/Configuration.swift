public import Domain
public import Gateway
import Glibc
public import HTTP
public import Ledger
public import Pages
public import Rails
public import Stores
public import Support

/// Everything that can be set, read once at start: flag, else environment, else default.
///
/// An empty variable counts as not set. The description shows no secrets.
public struct Configuration: Sendable {
    /// `LISTEN_FDS`: sockets that are held for the server. Their addresses are then its own.
    public var sockets: InheritedSockets
    /// `--port`, `PORT`, 8080. 0 is any free port.
    public var port: Int
    /// `--bind`, `PAYCAST_BIND`, 127.0.0.1. An IP address or `localhost`.
    public var bind: String
    /// `PAYCAST_CONSOLE_BIND`: where the console is alone; nil if it is at the server's own address.
    public var consoleBind: ConsoleBind?
    /// `PAYCAST_CONSOLE_URL`: what browsers call the console, for links to it: `https://HOST[:PORT]`.
    public var consoleURL: String?
    /// `--database`, `DATABASE_URL`, `sqlite:paycast.db`: a file's path, or PostgreSQL's URL.
    public var database: DatabaseURL
    /// `PAYCAST_HOME`: whether the ledger is at home wherever this server runs.
    public var isHome: Bool
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
    /// `container`.
    public var isInContainer: Bool

    /// `PAYCAST_API_KEY`: bearer keys of the API routes, with every right.
    public var apiKeys: [Secret]
    /// `PAYCAST_KEYS`: bearer keys with a name and some of the rights. Without any key, the API routes answer 401.
    public var namedKeys: [AccessKey]
    /// `SECRET_KEY_BASE` of a Rails app; several while it is replaced.
    public var secretKeyBases: [Secret]
    /// `PAYCAST_STREAM_KEYS`: the first one signs.
    public var streamKeys: [Secret]
    /// `PAYCAST_STREAM_NAME`, `user:{user}:paywall`.
    public var streamPattern: StreamPattern
    /// `PAYCAST_ALLOWED_ORIGINS`: allowed in addition to the server's own origin.
    public var allowedOrigins: Allowlist<String>
    /// `PAYCAST_TRUSTED_PROXIES`: the proxies whose `X-Forwarded-…` headers count.
    public var trustedProxies: [IPNetwork]
    /// `PAYCAST_MAX_…` and `PAYCAST_…_SECONDS`.
    public var limits: Limits

    /// `REDIS_URL`, `PAYCAST_REDIS_PREFIX`, `PAYCAST_REDIS_VERIFY`: the Redis in which a Rails app broadcasts; nil if the server listens to
    /// none.
    public var redis: RedisSettings?
    /// `PAYCAST_RAILS_CABLE_URL`, `…_PREFIX`, `…_ADAPTER`: the database through which a Rails app broadcasts; nil if the
    /// server reads none.
    public var railsCable: RailsCableSettings?

    /// All stores that Paycast knows, each with its own settings.
    public var stores: [any Store]
    /// What was given for the variables of the stores and for `PAYCAST_CATALOG`, by name: the content of a file, not its path.
    /// Empty for what is not set.
    var given: [String: Secret]
    /// `PAYCAST_SANDBOX_USERS`: the users whom a Sandbox purchase gives access. `PAYCAST_CATALOG`: the app's
    /// description of its products. `PAYCAST_TRANSFERS`: the effect of a claim on another user's contract.
    public var accessPolicy: AccessPolicy

    /// `PAYCAST_RETENTION_DAYS`: the time for which bodies and fragments are kept; nil for ever.
    public var retentionDays: Int?
    /// `PAYCAST_FORWARD`: the URLs to which every Sandbox notification from Apple is also posted.
    public var forward: [String]
    /// `PAYCAST_HOOK_URLS`, `PAYCAST_HOOK_SECRETS`: the addresses of the app's backend that are told of changes.
    public var hooks: [HookAddress]

    /// Settings that are allowed but probably unintended, one sentence each, for the log at start.
    public var warnings: [String]

    /// Returns the flags and variables, not read yet. They stay the same while a server runs, but the content of the files
    /// that they name may change. A function, because a description would show the secrets among them.
    let source: @Sendable () -> SettingsReader

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
        source = { [reader] in reader }
        isDevelopment = reader.isDevelopment
        sockets = reader.inheritedSockets()
        port = reader.port(of: sockets.own)
        bind = reader.bind(to: sockets.own)
        consoleBind = reader.consoleBind(to: sockets.console)
        consoleURL = reader.consoleURL()
        database = reader.database()
        isHome = reader.choice("PAYCAST_HOME", word: \HomeSetting.rawValue) == .here
        listenURL = reader.listenURL(of: database)
        publicFolder = reader.publicFolder()
        loops = reader.number("PAYCAST_LOOPS", flag: "--loops", default: coreCount(), in: 1...64)
        tls = reader.tls()
        reader.checkAuthorities()
        logFormat = reader.choice("PAYCAST_LOG_FORMAT", flag: "--log-format", word: \.rawValue) ?? .text
        logLevel = reader.choice("PAYCAST_LOG_LEVEL", flag: "--log-level", word: \.name) ?? .info
        developmentNow = reader.developmentNow()
        isInContainer = isContainer(reader.environment)
        if isInContainer, !isDevelopment, case .sqlite(let path) = database,
            let loss = LedgerVolume(ofLedgerAt: path)?.loss
        {
            reader.warn(loss)
        }

        apiKeys = reader.secrets("PAYCAST_API_KEY")
        namedKeys = reader.namedKeys(beside: apiKeys)
        secretKeyBases = reader.secrets("SECRET_KEY_BASE")
        streamKeys = reader.secrets("PAYCAST_STREAM_KEYS")
        streamPattern = reader.streamPattern()
        allowedOrigins = reader.allowedOrigins()
        trustedProxies = reader.trustedProxies()
        limits = reader.limits(loops: loops)

        redis = reader.redis()
        railsCable = reader.railsCable(beside: database)

        let read = reader.noting { reader in stores.map { store in store.init(&reader) as any Store } }
        self.stores = read.value
        let environments = Configuration.environments(self.stores)
        accessPolicy = reader.accessPolicy(of: self.stores, serving: environments)
        given = read.given
        let catalog = reader.environment["PAYCAST_CATALOG"].flatMap { textOrContents(of: $0) }
        given["PAYCAST_CATALOG"] = Secret(catalog ?? "")
        forward = reader.forward(serving: environments)
        retentionDays = reader.retentionDays()
        hooks = reader.hooks()
        accessPolicy.hooks = hooks.targets

        if apiKeys.isEmpty && namedKeys.isEmpty && !isDevelopment {
            reader.warn("PAYCAST_API_KEY is not set: the API routes answer 401 to everyone")
        }
        reader.rejectUnknown()
        warnings = reader.warnings
    }

    /// Replaces what a running server can change, which is keys, secrets and the catalog, with what the files hold now.
    public mutating func reload() -> SettingsChanges {
        var reader = source()
        let new = Configuration(&reader, stores: stores.map { type(of: $0) })
        var changes = SettingsChanges(problems: reader.problems)
        changes.take("PAYCAST_API_KEY", into: &apiKeys, from: new.apiKeys)
        changes.take("PAYCAST_KEYS", into: &namedKeys, from: new.namedKeys)
        changes.take("SECRET_KEY_BASE", into: &secretKeyBases, from: new.secretKeyBases)
        changes.take("PAYCAST_STREAM_KEYS", into: &streamKeys, from: new.streamKeys)
        stores = zip(stores, new.stores).map { $0.reloaded(from: $1, recording: &changes) }
        changes.take("PAYCAST_HOOK_SECRETS", into: &hooks, from: new.hooks)
        changes.take("PAYCAST_CATALOG", into: &accessPolicy.catalog, from: new.accessPolicy.catalog)
        // Without telling their names twice.
        var quiet = SettingsChanges(problems: reader.problems)
        for name in Set(given.keys).union(new.given.keys) {
            quiet.take(name, into: &given[name], from: new.given[name])
        }
        return changes
    }
}

extension Store {
    /// `new` holds the new settings of the same store.
    fileprivate func reloaded(from new: any Store, recording changes: inout SettingsChanges) -> any Store {
        var store = self
        if let new = new as? Self { store.reload(from: new, changes: &changes) }
        return store
    }
}

/// What an operator may read of the settings: no secret, and nothing that leads to one.
extension Configuration {
    func facts(node: String) -> [(name: String, value: String)] {
        let kept = retentionDays.map { "\($0) days" } ?? "for ever"
        return [
            ("Version", releaseVersion), ("Node", node), ("Ledger", database.description),
            ("Stores", servedStores.isEmpty ? "none" : servedStores.map(\.rawValue).joined(separator: ", ")),
            ("A user’s stream", streamPattern.stream(for: "{user}")?.text ?? "-"),
            ("Bodies are kept", "\(kept), or until their user is erased"),
            ("Transfers", accessPolicy.transfers.rawValue), ("Loops", String(loops)),
            ("Connections at most", String(limits.connections)), ("TLS", tls == nil ? "at a proxy, or none" : "here"),
            ("Keys with a name", namedKeys.map(Configuration.words).sorted().joined(separator: "; ")),
            ("The app's backend is told at", hooks.count == 1 ? "1 address" : "\(hooks.count) addresses"),
            ("Forwards to", forward.count == 1 ? "1 staging server" : "\(forward.count) staging servers"),
            ("Rails", redis != nil ? "Redis" : railsCable != nil ? "its cable's database" : "not heard"),
            ("Development", isDevelopment ? "yes: simulated stores, a clock of its own" : "no"),
        ]
    }

    /// `mara: read, act`.
    private static func words(_ key: AccessKey) -> String {
        let rights = Right.allCases.filter { key.rights.contains($0) }.map(\.rawValue)
        return "\(key.name): \(rights.joined(separator: ", "))"
    }
}

extension SettingsReader {
    /// `PAYCAST_CATALOG`: JSON, or the path of a JSON file.
    mutating func catalog() -> Catalog {
        let expected = "a file of 1 byte to 64 KiB that can be read"
        guard let text = value("PAYCAST_CATALOG", expected: expected, read: textOrContents) else { return Catalog() }
        let file = CatalogFile(text)
        for problem in file.problems { reject("PAYCAST_CATALOG", because: problem) }
        return file.catalog
    }

    mutating func limits(loops: Int) -> Limits {
        let wanted = number("PAYCAST_MAX_CONNECTIONS", default: 50_000, in: 1...4_000_000)
        var limits = Limits(connections: wanted, loops: loops)
        read("PAYCAST_MAX_CONNECTIONS_PER_ADDRESS", into: &limits.connectionsPerAddress, in: 1...10_000_000)
        read("PAYCAST_MAX_SUBSCRIPTIONS", into: &limits.subscriptions, in: 1...100_000)
        read("PAYCAST_MAX_COMMANDS", into: &limits.commandsPerMinute, in: 1...1_000_000)
        read("PAYCAST_MAX_FRAME", into: &limits.messageBytes, in: 1024...(1 << 20))
        read("PAYCAST_MAX_QUEUE", into: &limits.queuedBytes, in: 4096...(64 << 20))
        read("PAYCAST_HEADER_SECONDS", into: &limits.headerSeconds, in: 1...600)
        read("PAYCAST_BODY_SECONDS", into: &limits.bodySeconds, in: 1...600)
        read("PAYCAST_IDLE_SECONDS", into: &limits.idleSeconds, in: 1...3600)
        read("PAYCAST_WRITE_SECONDS", into: &limits.writeSeconds, in: 1...3600)
        if limits.connections < wanted, given("PAYCAST_MAX_CONNECTIONS") != nil {
            warn(
                "PAYCAST_MAX_CONNECTIONS is lowered from \(wanted) to \(limits.connections): no more files may be open "
                    + "(ulimit -Hn is \(FileLimit.highest())); raise that limit, or lower the setting"
            )
        }
        return limits
    }

    mutating func retentionDays() -> Int? {
        let days = number("PAYCAST_RETENTION_DAYS", default: 0, in: 1...36_500)
        return days == 0 ? nil : days
    }

    mutating func trustedProxies() -> [IPNetwork] {
        let items = list("PAYCAST_TRUSTED_PROXIES", expected: "an IP address or a network such as 10.0.0.0/8") {
            IPNetwork($0) != nil
        }
        return items.compactMap(IPNetwork.init)
    }

    private mutating func read(_ variable: String, into value: inout Int, in range: ClosedRange<Int>) {
        value = number(variable, default: value, in: range)
    }

    mutating func railsCable(beside ledger: DatabaseURL) -> RailsCableSettings? {
        let name = "PAYCAST_RAILS_CABLE_URL"
        let listened = listened(name, prefix: "PAYCAST_RAILS_CABLE_PREFIX") { try RailsCableURL($0) }
        let adapter: RailsCableAdapter? = choice("PAYCAST_RAILS_CABLE_ADAPTER", word: \.rawValue)
        guard let (url, prefix) = listened else { return nil }
        if case .sqlite(let file) = ledger, case .sqlite(let cable) = url, cable.hasSameBytes(as: file) {
            reject(name, because: "names Paycast's own ledger; name the app's cable database")
        }
        if case .sqlite = url, adapter == .postgresql {
            reject(name, because: "names SQLite, which the adapter postgresql does not use")
        }
        return RailsCableSettings(url: url, prefix: prefix, adapter: adapter)
    }

    mutating func redis() -> RedisSettings? {
        let listened = listened("REDIS_URL", prefix: "PAYCAST_REDIS_PREFIX") { try RedisURL($0) }
        let name = "PAYCAST_REDIS_VERIFY"
        let verification: RedisVerification? = choice(name, word: \.rawValue)
        guard let (url, prefix) = listened else { return nil }
        if verification != nil, !url.isSecure { warn("\(name) is ignored without rediss:// in REDIS_URL") }
        return RedisSettings(url: url, prefix: prefix, verification: verification ?? .full)
    }

    /// Where a Rails app broadcasts, and the `channel_prefix` of its `config/cable.yml`.
    private mutating func listened<URL>(
        _ variable: String,
        prefix: String,
        read: (String) throws -> URL
    ) -> (url: URL, prefix: String?)? {
        let prefix = given(prefix)
        if let prefix, !isValidIdentifier(prefix.value) {
            reject(prefix.name, because: "\(quoted(prefix.value)) is not a prefix such as shop_production")
        }
        guard let given = given(variable) else {
            if let prefix { warn("\(prefix.name) is ignored without \(variable)") }
            return nil
        }
        return parsed(given, read).map { (url: $0, prefix: prefix?.value) }
    }
}

/// The words of `PAYCAST_HOME`.
private enum HomeSetting: String, CaseIterable { case here }

extension Configuration {
    /// `--tls-cert`, `PAYCAST_TLS_CERT` and `--tls-key`, `PAYCAST_TLS_KEY`: PEM files, both or neither.
    public struct TLS: Sendable {
        public var certificateFile: String
        public var keyFile: String
        /// The files' contents at the start.
        public var identity: ServerIdentity
    }
}

extension SettingsReader {
    mutating func tls() -> Configuration.TLS? {
        let names = (certificate: "PAYCAST_TLS_CERT", key: "PAYCAST_TLS_KEY")
        let certificate = given(names.certificate, flag: "--tls-cert")
        let key = given(names.key, flag: "--tls-key")
        guard let certificate, let key else {
            if let certificate {
                reject(names.key, because: "is missing: \(certificate.name) needs the key of the certificate")
            }
            if let key {
                reject(names.certificate, because: "is missing: \(key.name) needs the certificate of the key")
            }
            return nil
        }
        do throws(ServerIdentityError) {
            let identity = try ServerIdentity(certificateFile: certificate.value, keyFile: key.value)
            if identity.hasExpired { warn("the certificate in \(shownPath(certificate.value)) has expired") }
            return .init(certificateFile: certificate.value, keyFile: key.value, identity: identity)
        } catch {
            for flaw in error.flaws { reject(flaw, certificate: certificate, key: key) }
            return nil
        }
    }

    private mutating func reject(_ flaw: ServerIdentityError.Flaw, certificate: Given, key: Given) {
        let files = (certificate: shownPath(certificate.value), key: shownPath(key.value))
        switch flaw {
        case .certificate:
            reject(certificate.name, because: "\(files.certificate) cannot be read or holds no certificate in PEM")
        case .key:
            reject(key.name, because: "\(files.key) cannot be read or holds no private key in PEM without a passphrase")
        case .mismatch:
            reject(key.name, because: "\(files.key) is not the key of the certificate in \(files.certificate)")
        }
    }
}

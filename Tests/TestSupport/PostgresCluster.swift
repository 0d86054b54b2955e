import Glibc
import Synchronization

/// A real PostgreSQL with a database folder, a port and a folder of sockets of its own.
///
/// Its programs refuse to run as root: then they run as the user that Debian's package has made.
public final class PostgresCluster: Sendable {
    static let programs = "/usr/lib/postgresql/15/bin/"

    /// For `.enabled(if:)`: the library can be built, and everything else tested, where there is no server.
    public static let isInstalled = access(programs + "postgres", X_OK) == 0

    private struct WeakCluster: Sendable {
        weak var cluster: PostgresCluster?
    }

    private static let current = Mutex(WeakCluster())

    /// The one that other tests use at the moment, or a new one: making one takes a second. For tests that leave the server
    /// and each other's tables alone.
    public static func shared() throws -> PostgresCluster {
        try current.withLock { current in
            if let cluster = current.cluster { return cluster }
            let cluster = try PostgresCluster()
            current.cluster = cluster
            return cluster
        }
    }

    private let reserved = ReservedPort()
    let folder = TemporaryFolder()
    private let settings: [String]
    private let process: Mutex<RunningProcess>

    /// Waits until it accepts connections. `settings` are lines of postgresql.conf.
    public convenience init(_ settings: [String] = []) throws {
        let original = try PostgresCluster.original.get()
        try self.init(settings) { folder in
            PostgresCluster.run(path: "/bin/cp", ["-a", original.path + "/data", folder], in: folder)
        }
    }

    /// What `initdb` makes, once for all clusters of a run: it takes a second.
    private static let original: Result<TemporaryFolder, any Error> = Result {
        let folder = TemporaryFolder()
        if let owner { chown(folder.path, owner.user, owner.group) }
        // pg_rewind wants checksums.
        let words = ["-D", folder.path + "/data", "-k", "-U", "paycast", "-A", "trust", "-E", "UTF8", "--locale=C"]
        let maker = run("initdb", words + ["--no-sync"], in: folder.path)
        guard try maker.waitForExit(timeout: .seconds(60)) == 0 else { throw Failure(output: maker.errors) }
        // What is static is never released.
        atexit { try? PostgresCluster.original.get().remove() }
        return folder
    }

    /// It offers TLS with this certificate, whose files it has to own.
    public convenience init(certificate: TemporaryCertificate) throws {
        for file in [certificate.folder.path, certificate.certificateFile, certificate.keyFile] {
            if let owner { chown(file, owner.user, owner.group) }
        }
        try self.init([
            "ssl=on", "ssl_cert_file=\(certificate.certificateFile)", "ssl_key_file=\(certificate.keyFile)",
        ])
    }

    /// `maker` makes the folder `data` in the one that it gets.
    private init(_ settings: [String], maker: (String) -> RunningProcess) throws {
        let fast = [
            "fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=200", "autovacuum=off",
        ]
        let place = [
            "listen_addresses=127.0.0.1", "port=\(reserved.number)", "unix_socket_directories=\(folder.path)",
            "dynamic_shared_memory_type=mmap",
        ]
        self.settings = fast + place + settings
        if let owner { chown(folder.path, owner.user, owner.group) }
        let maker = maker(folder.path)
        guard try maker.waitForExit(timeout: .seconds(60)) == 0 else { throw Failure(output: maker.errors) }
        let rules = """
            host all guarded 127.0.0.1/32 scram-sha-256
            local all all trust
            host all,replication all 127.0.0.1/32 trust

            """
        folder.write(rules, to: "pg_hba.conf")
        if let owner { chown(folder.path + "/pg_hba.conf", owner.user, owner.group) }
        process = Mutex(PostgresCluster.launch(self.settings, in: folder.path))
        try waitUntilReady()
    }

    public struct Failure: Error {
        let output: String
    }

    /// A hot standby with a copy of this one, which it follows by way of `port`.
    public func standby(through port: Int) throws -> PostgresCluster {
        let source = "host=127.0.0.1 port=\(port) user=paycast application_name=standby"
        let follow = ["primary_conninfo=\(source)", "wal_retrieve_retry_interval=100ms", "full_page_writes=on"]
        return try PostgresCluster(follow) { folder in
            PostgresCluster.run(
                "pg_basebackup",
                ["-D", folder + "/data", "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", url],
                in: folder
            )
        }
    }

    /// Makes a standby of `other` of this one, which was killed.
    public func rewind(to other: PostgresCluster) throws {
        let source = "host=127.0.0.1 port=\(other.port) user=paycast dbname=postgres"
        let arguments = ["-D", folder.path + "/data", "-R", "--no-sync", "--source-server", source]
        // Until then the control file of the promoted server names the former timeline, and pg_rewind believes it.
        try other.psql("CHECKPOINT")
        // What was killed leaves processes that let go of its memory a moment later.
        try Deadline(.seconds(60)).wait(for: "pg_rewind") {
            let program = PostgresCluster.run("pg_rewind", arguments, in: folder.path)
            return try program.waitForExit(timeout: .seconds(60)) == 0
        }
        try start()
    }

    /// Waits until a standby has everything up to a position of the log.
    public func waitForReplay(of position: String) throws {
        try Deadline(.seconds(30)).wait(for: "the standby") {
            try psql("SELECT pg_last_wal_replay_lsn() >= '\(position)'") == "t"
        }
    }

    /// Makes a primary of a standby, on a new timeline. Waits until it takes writes.
    public func promote() throws {
        guard try psql("SELECT pg_promote()") == "t" else { throw Failure(output: "it is not promoted") }
    }

    /// Makes a primary of a standby on the same timeline: it restarts and no longer knows that it was one.
    public func restartAsPrimary() throws {
        try stop()
        guard unlink(folder.path + "/data/standby.signal") == 0 else { throw Failure(output: "it is no standby") }
        try start()
    }

    deinit {
        // By its own hand, so that it leaves no segment of shared memory.
        process.withLock { process in
            process.send(.resume)
            process.send(.interrupt)
            _ = try? process.waitForExit(timeout: .seconds(10))
        }
    }

    public var port: Int { reserved.number }
    /// `127.0.0.1:5432`
    public var place: String { "127.0.0.1:\(port)" }
    public var url: String { "postgres://paycast@\(place)/postgres" }
    public var socketURL: String { "postgres://paycast@/postgres?host=\(folder.path)&port=\(port)" }

    /// A smart stop would wait for all clients; this one ends their sessions.
    public func stop() throws {
        try process.withLock { process in
            process.send(.interrupt)
            _ = try process.waitForExit()
        }
    }

    /// `kill -9`.
    public func kill() throws {
        try process.withLock { process in
            process.send(.kill)
            _ = try process.waitForExit()
        }
    }

    /// The postmaster runs no more; its sessions go on, and new connections are not answered.
    public func freeze() { process.withLock { $0.send(.stop) } }

    public func thaw() { process.withLock { $0.send(.resume) } }

    /// On the same port, after `stop` or `kill`. What was killed leaves processes that let go of its memory a moment later.
    public func start() throws {
        try Deadline(.seconds(60)).wait(for: "PostgreSQL's start") {
            process.withLock { $0 = PostgresCluster.launch(settings, in: folder.path) }
            return (try? waitUntilReady()) != nil
        }
    }

    private static let poolerProgram = "/usr/sbin/pgbouncer"
    public static let isPoolerInstalled = access(poolerProgram, X_OK) == 0

    /// A pgbouncer before it that lends a session for one transaction.
    public func pooler(port: Int, settings more: [String] = []) throws -> RunningProcess {
        let database = "postgres = host=127.0.0.1 port=\(self.port) user=paycast"
        let settings = """
            [databases]
            \(database)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            auth_type = any
            pool_mode = transaction
            unix_socket_dir =
            \(more.joined(separator: "\n"))

            """
        let file = folder.write(settings, to: "pooler\(port).ini")
        if let owner { chown(file, owner.user, owner.group) }
        let process = PostgresCluster.run(path: PostgresCluster.poolerProgram, [file], in: folder.path)
        _ = try process.errorLine { $0.contains("process up") }
        return process
    }

    private func waitUntilReady() throws {
        _ = try process.withLock { $0 }.errorLine { $0.contains("ready to accept") }
    }

    private static func launch(_ settings: [String], in folder: String) -> RunningProcess {
        let words = (settings + ["hba_file=\(folder)/pg_hba.conf"]).flatMap { ["-c", $0] }
        return run("postgres", ["-D", folder + "/data"] + words, in: folder)
    }

    private static func run(_ program: String, _ arguments: [String], in folder: String) -> RunningProcess {
        run(path: programs + program, arguments, in: folder)
    }

    private static func run(path: String, _ arguments: [String], in folder: String) -> RunningProcess {
        let environment = ["LC_ALL": "C"]
        guard owner != nil else {
            return RunningProcess(path, arguments: arguments, environment: environment, folder: folder)
        }
        let asOwner = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path]
        return RunningProcess("setpriv", arguments: asOwner + arguments, environment: environment, folder: folder)
    }
}

/// Whose the cluster's files must be; nil when they can be ours.
private let owner: (user: uid_t, group: gid_t)? = {
    guard getuid() == 0, let entry = getpwnam("postgres") else { return nil }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
}()

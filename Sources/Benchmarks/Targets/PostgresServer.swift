import Glibc

/// PostgreSQL as a distribution ships it, with its own folder and port, and with every commit on the disk. Its programs
/// refuse to run as root; they then run as the user that Debian's package creates.
final class PostgresServer {
    private static let programs = "/usr/lib/postgresql/15/bin/"

    let port: Int
    private let folder: String
    private var databases = 0

    /// Waits until it accepts connections. `folder` exists, and nothing else uses it.
    init(in folder: String) throws(BenchmarkError) {
        self.folder = folder
        let (descriptor, port) = try Sockets.listen()
        close(descriptor)
        self.port = port
        if let owner { chown(folder, owner.user, owner.group) }
        try run("initdb", ["-D", folder + "/data", "-U", "paycast", "-A", "trust", "-E", "UTF8", "--locale=C"])
        let place = "-c listen_addresses=127.0.0.1 -c port=\(port) -c unix_socket_directories=\(folder)"
        // A container may have almost no /dev/shm.
        let options = place + " -c dynamic_shared_memory_type=mmap"
        try run("pg_ctl", ["-D", folder + "/data", "-l", folder + "/postgres.log", "-w", "-o", options, "start"])
    }

    deinit {
        try? run("pg_ctl", ["-D", folder + "/data", "-m", "immediate", "stop"])
    }

    /// The CPU time of its sessions and helper processes, in microseconds.
    var processorTime: Double {
        let first = text(of: folder + "/data/postmaster.pid").split(separator: "\n").first
        return first.flatMap { pid_t($0) }.map { ProcessFigures(id: $0).childrensProcessorTime } ?? .nan
    }

    /// Creates an empty database, and returns its name.
    func newDatabase() throws(BenchmarkError) -> String {
        databases += 1
        let name = "bench\(databases)"
        try run("createdb", ["-h", "127.0.0.1", "-p", "\(port)", "-U", "paycast", name])
        return name
    }

    /// The bytes of a database's tables and indexes.
    func size(of database: String) throws(BenchmarkError) -> Double {
        try number("SELECT pg_database_size(current_database())", in: database)
    }

    /// The bytes of the log of all databases until now.
    func logWritten(_ database: String) throws(BenchmarkError) -> Double {
        try number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn", in: database)
    }

    private func number(_ question: String, in database: String) throws(BenchmarkError) -> Double {
        try run("psql", ["-d", url(database), "-At", "-c", question, "-o", folder + "/answer"])
        return Double(text(of: folder + "/answer").prefix { $0 != "\n" }) ?? .nan
    }

    /// `port` differs from the server's when a proxy is in front.
    func url(_ database: String, port other: Int? = nil) -> String {
        "postgres://paycast@127.0.0.1:\(other ?? port)/\(database)"
    }

    private func run(_ program: String, _ arguments: [String]) throws(BenchmarkError) {
        let asOwner = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        // They must start in a folder that their user may read.
        let inFolder = ["/bin/sh", "-c", #"cd "$0" && exec "$@" >>"$0/programs.log" 2>&1"#, folder]
        let words = inFolder + (owner == nil ? [] : asOwner) + [PostgresServer.programs + program] + arguments
        guard try ChildProcess.run(words) else {
            throw .notStarted("\(program) of PostgreSQL 15 failed: \(text(of: folder + "/programs.log"))")
        }
    }
}

/// The owner that the server's files must have; nil if they can be ours.
private let owner: (user: uid_t, group: gid_t)? = {
    guard getuid() == 0, let entry = getpwnam("postgres") else { return nil }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
}()

/// Runs PostgreSQL until `body` ends.
func withPostgres<Result>(_ body: (PostgresServer) throws -> Result) throws -> Result {
    try withTemporaryFolder { folder in
        let server = try PostgresServer(in: folder)
        return try withExtendedLifetime(server) { try body(server) }
    }
}

/// PostgreSQL's own clients.
extension PostgresCluster {
    /// Runs SQL with psql, and returns its rows, unaligned. `port` is a pooler's.
    @discardableResult
    public func psql(_ sql: String, database: String = "postgres", port: Int? = nil) throws -> String {
        let address = "postgres://paycast@127.0.0.1:\(port ?? self.port)/\(database)"
        let arguments = ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", sql]
        let program = RunningProcess(PostgresCluster.programs + "psql", arguments: arguments)
        guard try program.waitForExit() == 0 else { throw Failure(output: program.errors) }
        return program.output.split(separator: "\n").joined(separator: "\n")
    }

    /// A session that has run `sql` and then does nothing, in a transaction if `sql` has begun one, until the process is
    /// killed or this object is gone.
    public func session(_ sql: String) throws -> RunningProcess {
        let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]
        let script = sql + "\n\\! echo it is idle; exec tail --pid=$PPID -f /dev/null >/dev/null 2>&1\n"
        let program = RunningProcess(PostgresCluster.programs + "psql", arguments: words, input: script)
        _ = try program.line { $0 == "it is idle" }
        return program
    }

    /// Runs `body` while a transaction that has run `sql` is open.
    public func hold(_ sql: String, while body: () throws -> Void) throws {
        let program = RunningProcess(
            PostgresCluster.programs + "psql",
            arguments: [
                "-X", "-A", "-t", "-d", url, "-c", "BEGIN", "-c", sql, "-c", "SELECT 'held'", "-c",
                "SELECT pg_sleep(60)",
            ]
        )
        _ = try program.line { $0 == "held" }
        try body()
        // It may not have begun to sleep yet.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'"
        try Deadline(.seconds(60)).wait(for: "the end of what was held") { try psql(end) == "t" }
        try program.waitForExit()
    }

    /// What `pg_dump` writes of a schema.
    public func dump(schema: String) throws -> String {
        let program = RunningProcess(PostgresCluster.programs + "pg_dump", arguments: ["-n", schema, "-d", url])
        guard try program.waitForExit() == 0 else { throw Failure(output: program.errors) }
        return program.output
    }

    /// Runs what `dump` has returned.
    public func restore(_ dump: String, to database: String = "postgres") throws {
        let file = folder.write(dump, to: "dump.sql")
        let address = "postgres://paycast@\(place)/\(database)"
        let arguments = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", file]
        let program = RunningProcess(PostgresCluster.programs + "psql", arguments: arguments)
        guard try program.waitForExit() == 0 else { throw Failure(output: program.errors) }
    }
}

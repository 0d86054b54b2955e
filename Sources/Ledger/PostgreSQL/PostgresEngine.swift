public import Domain
internal import Glibc
public import LedgerInterface
public import LedgerSQL
public import Postgres

/// A ledger in PostgreSQL, which any number of nodes share.
public struct PostgresEngine: SharedLedgerEngine {
    private let site: PostgresSite
    private let listening: PostgresURL

    /// Connects, and brings the tables up to date. `listening` is where notifications come through, if they do not at
    /// `url`. `node` names this process among the others.
    public init(
        url: PostgresURL,
        listening: PostgresURL? = nil,
        schema: String = "paycast",
        node: String,
        version: String = ""
    ) throws(LedgerError) {
        let postgres = PostgresConnection(url, options: PostgresSite.options(schema: schema))
        do throws(EngineError) {
            try engine { () throws(PostgresError) in try PostgresEngine.wait(for: postgres) }
            let epoch = try PostgresSchema.migrate(postgres, schema: schema)
            site = PostgresSite(url, schema: schema, node: node, version: version, epoch: epoch)
        } catch {
            throw .unreachable(reason: "\(url): \(error.advice)")
        }
        self.listening = listening ?? url
    }

    /// A server that starts, and a standby that is being promoted, will soon take writes.
    private static func wait(for postgres: PostgresConnection) throws(PostgresError) {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do throws(PostgresError) {
                return try postgres.open()
            } catch {
                guard [.shuttingDown, .readOnly].contains(error.kind), ContinuousClock.now < deadline else {
                    throw error
                }
                usleep(200_000)
            }
        }
    }

    public func openStore(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerStore {
        do throws(EngineError) {
            let connection = PostgresLedgerConnection(site)
            return try LedgerStore(connection, epoch: site.epoch, policy: policy, streams: streams)
        } catch {
            throw LedgerError(error)
        }
    }

    public func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries {
        do throws(EngineError) {
            let connection = PostgresLedgerConnection(site)
            return try LedgerQueries(connection, epoch: site.epoch, policy: policy, streams: streams)
        } catch {
            throw LedgerError(error)
        }
    }

    public func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog {
        do throws(EngineError) {
            let connection = PostgresLedgerConnection(site)
            return LedgerLog(
                queries: try LedgerQueries(connection, epoch: site.epoch, policy: policy, streams: streams),
                membership: try PostgresMembership(connection, site: site)
            )
        } catch {
            throw LedgerError(error)
        }
    }

    public func listen(isClosing: () -> Bool, onCommit: (Int64) -> Void) throws(EngineError) {
        var options = site.options
        options.applicationName = "paycast listener"
        let listener = PostgresListener(listening, options: options)
        try engine { () throws(PostgresError) in try listener.listen(PostgresSite.channel) }
        try probe(listener)
        // What was committed before it listened.
        onCommit(.max)
        while !isClosing() {
            let heard = try engine { () throws(PostgresError) in try listener.wait(timeout: .seconds(1)) }
            for notification in heard where notification.channel == PostgresSite.channel {
                let parts = notification.payload.split(separator: ":")
                if parts.first.map(String.init) == site.epoch, let position = parts.last.flatMap({ Int64($0) }) {
                    onCommit(position)
                }
            }
        }
    }

    /// A transaction pooler takes LISTEN and delivers nothing, so the listener tells itself something first.
    private func probe(_ listener: PostgresListener) throws(EngineError) {
        let heard = try engine { () throws(PostgresError) in
            try listener.notify(PostgresSite.channel, payload: "probe")
            return try listener.wait(timeout: .seconds(2))
        }
        guard heard.isEmpty else { return }
        throw .ofTheLedger(
            "notifications do not come through, as behind a transaction pooler",
            advice:
                "set PAYCAST_LISTEN_URL to a direct connection; until then, other nodes' commits show within a second"
        )
    }
}

internal import Concurrency
public import Domain
public import LedgerInterface
internal import LedgerSQL
internal import Postgres
public import SharedLedger
internal import Synchronization

/// Following the log, and speaking with the other nodes.
extension PostgresEngine: SharedLedgerEngine {
    public func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog {
        do throws(EngineError) {
            let connection = PostgresLedgerConnection(site, options: site.logOptions)
            return LedgerLog(
                queries: try LedgerQueries(connection, epoch: site.epoch, policy: policy, streams: streams),
                membership: try PostgresMembership(connection, site: site),
                published: { [site] entry in site.published(entry.position, committedAt: entry.committedAt) }
            )
        } catch {
            throw LedgerError(error)
        }
    }

    public func listen(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError) {
        var options = site.options
        options.applicationName = "paycast listener"
        let listener = PostgresListener(listening, options: options)
        try engine { () throws(PostgresError) in
            try listener.listen(PostgresSite.channel)
            try listener.listen(PostgresSite.messages)
        }
        try probe(listener, hear: hear)
        let key = try messageKey()
        hear(.connected)
        var assembly = MessageAssembly(
            epoch: site.epoch,
            key: key,
            ignoring: site.sender,
            heard: site.heard.withLock { $0 }
        )
        defer { site.heard.withLock { $0 = assembly.heard } }
        while !queue.isClosed {
            let delay = queue.delay
            let heard = try engine { () throws(PostgresError) in
                try listener.wait(
                    timeout: min(delay ?? .seconds(1), .seconds(1)),
                    // What waits is not due yet.
                    waker: delay == nil ? queue.waker?.descriptor : nil
                )
            }
            queue.waker?.clear()
            for notification in heard {
                if let news = news(in: notification, assembly: &assembly) { hear(news) }
            }
            do throws(EngineError) {
                try send(queue.take(), through: listener, key: key)
            } catch {
                queue.putBack()
                throw error
            }
        }
        try send(queue.take() + queue.takeVital(), through: listener, key: key)
    }

    /// Over a connection of its own for a moment: where notifications come through, the tables need not be on the path.
    private func messageKey() throws(EngineError) -> MessageKey {
        let connection = PostgresLedgerConnection(site)
        let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'erasure_key'")
        let ledgerKey = try statement.first { row in row.text(0) } ?? ""
        guard !ledgerKey.isEmpty else {
            throw .ofTheLedger("it has no key", advice: "the ledger in PostgreSQL is damaged: restore a backup")
        }
        return MessageKey(derivedFrom: ledgerKey)
    }

    private func news(in notification: PostgresNotification, assembly: inout MessageAssembly) -> NodeNews? {
        guard notification.channel == PostgresSite.channel else {
            return assembly.add(notification.payload, from: notification.backend).map { .message($0) }
        }
        let parts = notification.payload.split(separator: ":")
        guard parts.count == 2, parts[0].utf8.elementsEqual(site.epoch.utf8) else { return nil }
        return Int64(parts[1]).map { .position($0) }
    }

    /// All in one transaction, so that pieces arrive one after the other. It writes no data, so PostgreSQL holds its lock
    /// on all notifying commits of the server for no flush.
    private func send(
        _ bodies: [[UInt8]],
        through listener: PostgresListener,
        key: MessageKey
    ) throws(EngineError) {
        var payloads: [String] = []
        for body in bodies {
            payloads += NotificationPieces.payloads(
                of: body,
                key: key,
                epoch: site.epoch,
                after: site.seen,
                number: site.nextMessage()
            )
        }
        guard !payloads.isEmpty else { return }
        try engine { () throws(PostgresError) in try listener.notify(PostgresSite.messages, payloads: payloads) }
    }

    /// A transaction pooler takes LISTEN and delivers nothing, so something is told first: through another connection for a
    /// moment where there is a pooler, because it passes on what a session tells itself within a transaction.
    private func probe(_ listener: PostgresListener, hear: (NodeNews) -> Void) throws(EngineError) {
        let heard = try engine { () throws(PostgresError) in
            let sender = listener.isPooled ? PostgresListener(listening, options: site.options) : listener
            try sender.notify(PostgresSite.channel, payloads: ["probe"])
            return try listener.wait(timeout: .seconds(2))
        }
        guard heard.isEmpty else { return }
        hear(.deaf)
        throw .ofTheLedger(
            "no notification comes through",
            advice: """
                no notification comes through, as behind a transaction pooler; set PAYCAST_LISTEN_URL to a direct \
                connection
                """
        )
    }
}

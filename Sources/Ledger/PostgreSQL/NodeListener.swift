import Support
import Synchronization

/// A connection that listens, for as long as it lasts: it hears the other nodes, and sends them what this one tells.
struct NodeListener {
    private let nodeState: PostgresNodeState
    private let listener: PostgresConnection
    private let key: MessageKey
    private var assembly: MessageAssembly
    private var probe = NotifyProbe()

    /// `url` is where notifications come through, if they do.
    init(_ nodeState: PostgresNodeState, at url: PostgresURL) throws(EngineError) {
        var options = nodeState.options
        options.applicationName = "paycast listener"
        let listener = PostgresConnection(url, options: options)
        try listener.listen([PostgresNodeState.channel, PostgresNodeState.messages])
        self.nodeState = nodeState
        self.listener = listener
        key = try NodeListener.messageKey(of: nodeState)
        assembly = MessageAssembly(
            epoch: nodeState.epoch,
            key: key,
            ignoring: nodeState.sender,
            heard: nodeState.heard.withLock { $0 }
        )
    }

    /// The newest message of each sender.
    var heard: NewestMessageNumbers { assembly.heard }

    /// Returns when `queue` is closed.
    mutating func run(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError) {
        while !queue.isClosed {
            try findOut(hear: hear)
            let delay = probe.isProven ? queue.delay : nil
            let heard = try listener.wait(
                timeout: min(delay ?? .seconds(1), .seconds(1)),
                // The waiting messages are not due yet.
                waker: delay == nil ? queue.waker?.descriptor : nil
            )
            queue.waker?.clear()
            for notification in heard { take(notification, hear: hear) }
            guard probe.isProven else { continue }
            do throws(EngineError) {
                try send(queue.take())
            } catch {
                queue.putBack()
                throw error
            }
        }
        if probe.isProven { try send(queue.take() + queue.takeVital()) }
    }

    private mutating func take(_ notification: PostgresNotification, hear: (NodeNews) -> Void) {
        guard notification.channel == PostgresNodeState.channel else {
            if let message = assembly.add(notification.payload, from: notification.backend) { hear(.message(message)) }
            return
        }
        if probe.heard(notification.payload) { return hear(.connected) }
        let parts = notification.payload.split(separator: ":")
        guard parts.count == 2, parts[0].utf8.elementsEqual(nodeState.epoch.utf8) else { return }
        if let position = Int64(parts[1]) { hear(.position(position)) }
    }

    /// All in one transaction, so that pieces arrive one after the other. It writes no data, so PostgreSQL holds its lock
    /// on all notifying commits of the server for no flush.
    private func send(_ bodies: [[UInt8]]) throws(EngineError) {
        var payloads: [String] = []
        for body in bodies {
            payloads += NotifyPieces.payloads(
                of: body,
                key: key,
                epoch: nodeState.epoch,
                after: nodeState.seen,
                number: nodeState.nextMessage()
            )
        }
        guard !payloads.isEmpty else { return }
        try listener.notify(PostgresNodeState.messages, payloads: payloads)
    }
}

/// Whether notifications come through.
extension NodeListener {
    /// A transaction pooler takes LISTEN and delivers nothing, and another database has other notifications: so something is
    /// notified where the nodes commit, over a connection of its own for a moment, again and again.
    private mutating func findOut(hear: (NodeNews) -> Void) throws(EngineError) {
        if probe.isUnanswered(at: monotonicNanoseconds()) {
            // A pooler hands the session that listens to the app.
            if listener.isPooled { try? listener.execute("UNLISTEN *") }
            hear(.disconnected)
            throw NodeListener.noNotifications
        }
        guard probe.isDue(at: monotonicNanoseconds()) else { return }
        let payload = "probe:\(UInt64.random(in: 0 ... .max))"
        do throws(EngineError) {
            try notify(payload)
            probe.sent(payload, at: monotonicNanoseconds())
        } catch {
            probe.sent(nil, at: monotonicNanoseconds())
            if !probe.isProven { throw error }
        }
    }

    private func notify(_ payload: String) throws(EngineError) {
        var options = nodeState.options
        options.applicationName = "paycast probe"
        // Incoming messages wait meanwhile.
        options.connect = .seconds(2)
        options.waitsAsTold = false
        options.answer = .seconds(2)
        try PostgresConnection(nodeState.url, options: options).notify(PostgresNodeState.channel, payloads: [payload])
    }

    private static let noNotifications = EngineError.ofTheLedger(
        "no notification comes through",
        advice: """
            no notification comes through, as behind a transaction pooler, or from another database; set \
            PAYCAST_LISTEN_URL to a direct connection to the ledger's database
            """
    )

    /// Over a connection of its own for a moment: where notifications come through, the tables need not be on the path.
    private static func messageKey(of nodeState: PostgresNodeState) throws(EngineError) -> MessageKey {
        let connection = PostgresLedgerConnection(nodeState)
        let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'erasure_key'")
        let ledgerKey = try statement.first { row in row.text(0) } ?? ""
        guard !ledgerKey.isEmpty else {
            throw .ofTheLedger("it has no key", advice: "the ledger in PostgreSQL is damaged: restore a backup")
        }
        return MessageKey(derivedFrom: ledgerKey)
    }
}

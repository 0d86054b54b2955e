import Domain
import Glibc
public import Ledger
import Pages
import Support

/// The ledger that `DATABASE_URL` names, with the parts that its engine needs: a file is locked against a second
/// server, and a database is followed, because other nodes write it too.
struct OpenedLedger {
    let engine: any LedgerEngine
    private let lock: LedgerLock?
    /// Nil for a file.
    private let shared: (engine: PostgresEngine, follower: LedgerFollower)?
    /// Different from the name of any other process, on this machine or another, now or later.
    let node = OpenedLedger.nodeName()
    private let onEntries: @Sendable ([Entry]) -> Void
    private let publisher: Publisher
    /// Transient messages that could not be sent to other nodes.
    private let unshared: MessageLoss

    /// `onEntries` receives every entry once, in the order of positions, whoever committed it.
    init(
        _ configuration: Configuration,
        publisher: Publisher,
        unshared: MessageLoss,
        onEntries: @escaping @Sendable ([Entry]) -> Void
    ) throws(LedgerError) {
        (self.publisher, self.unshared, self.onEntries) = (publisher, unshared, onEntries)
        switch configuration.database {
        case .sqlite(let path):
            (engine, lock, shared) = (SQLiteEngine(path: path), try LedgerLock(path: path), nil)
        case .postgres(let url):
            let engine = try OpenedLedger.shared(url, listening: configuration.listenURL, node: node)
            let follower = LedgerFollower { entries in
                // What it has not read stays in the log.
                publisher.waitForRoom()
                onEntries(entries)
            }
            (self.engine, lock, shared) = (engine, nil, (engine, follower))
        }
    }

    fileprivate static func shared(
        _ url: String,
        listening: PostgresURL?,
        node: String
    ) throws(LedgerError) -> PostgresEngine {
        let address: PostgresURL
        do throws(PostgresURL.Failure) {
            address = try PostgresURL(url)
        } catch {
            throw .unreachable(reason: "DATABASE_URL \(error)")
        }
        return try PostgresEngine(url: address, listening: listening, node: node, version: releaseVersion)
    }

    /// Follows the commits of other nodes; nil for a file.
    var follower: LedgerFollower? { shared?.follower }

    /// Called by the writer after COMMIT.
    var onCommit: @Sendable ([Entry]) -> Void { follower.map { $0.committed } ?? onEntries }

    /// True if other nodes may write the ledger too.
    var isShared: Bool { shared != nil }

    /// True if the ledger got a new epoch when it was opened, because nobody knows whether commits are lost.
    var hasNewEpoch: Bool { shared?.engine.hasNewEpoch ?? false }

    /// The time by the database's clock; nil for a file.
    var now: Instant? { shared?.engine.now }

    /// Whether this node does the leader's work.
    var leaderLease: LeaderLease { follower?.leaderLease ?? .alone }

    /// Hands transient messages to the pages of all nodes, after everything committed before, without waiting for the others.
    @Sendable func broadcast(_ messages: [Message]) {
        guard let follower else { return publisher.broadcast(messages) }
        for message in messages { follower.pass(NodeMessageContent.broadcast(message).body) }
        for message in messages where !sendToOthers(.broadcast(message)) { unshared.add() }
    }

    /// Makes every node forget a stream's cached messages in the former locale; this node does so after everything
    /// committed before.
    func tellNodes(_ content: NodeMessageContent) {
        guard let follower else { return publisher.heard(content.body) }
        follower.pass(content.body)
        sendToOthers(content)
    }

    /// Returns false if the message cannot be sent.
    @discardableResult
    func sendToOthers(_ content: NodeMessageContent) -> Bool {
        guard let follower else { return true }
        // Without this message, the old locale would show for as long as the cached messages are kept.
        if case .locale = content { return follower.sendToNodes(content.body, isVital: true) }
        return follower.sendToNodes(content.body)
    }

    /// Tells the other nodes which streams pages of this one follow. What is lost is sent again within a minute.
    func shareFollowed(_ streams: [StreamName]) {
        guard isShared else { return }
        for start in stride(from: 0, to: streams.count, by: NodeMessageContent.streamLimit) {
            let part = streams[start..<min(start + NodeMessageContent.streamLimit, streams.count)]
            sendToOthers(.followed(Array(part)))
        }
    }

    /// Tells a second server on the same file the address of this one.
    func write(address: String) { lock?.write(address: address) }

    /// The ledger's files, which are watched besides the writer and the reader; nil for PostgreSQL.
    func files(of writer: LedgerWriter, metrics: Metrics) -> LedgerFilesWatch? {
        guard let lock, let engine = engine as? SQLiteEngine else { return nil }
        return LedgerFilesWatch(path: engine.path, lock: lock, writer: writer, metrics: metrics)
    }

    /// Whether the ledger is served where it was served before: see `LedgerHome`.
    @Sendable func claimHome(isForced: Bool) throws(LedgerError) -> Bool {
        if let shared { return try shared.engine.claimHome(isForced: isForced) }
        return try (engine as? SQLiteEngine)?.claimHome(isForced: isForced) ?? true
    }

    /// The database's report on all nodes that run: before this one's first heartbeat, too. Nil for a file.
    var nodes: SharedLedgerReport? {
        guard let shared else { return nil }
        return shared.follower.report ?? shared.engine.report()
    }

    /// Tells this ledger from others, in the digests of its nodes' settings.
    var salt: String { shared?.engine.salt ?? "" }

    /// Starts with the entry after `position`. `digests` are those of this node's settings, at each heartbeat.
    func follow(
        after position: Int64,
        configuration: Configuration,
        health: LedgerHealth,
        digests: @escaping @Sendable () -> [String: [String]],
        tell: @escaping LedgerFollower.Teller
    ) throws(LedgerError) {
        guard let shared else { return }
        try shared.follower.start(
            shared.engine,
            policy: configuration.accessPolicy,
            streams: configuration.streamPattern,
            after: position,
            health: health,
            digests: digests,
            tell: tell
        )
    }

    /// Call it after the writer has been closed.
    func close() { follower?.close() }

    fileprivate static func nodeName() -> String {
        var name = [CChar](repeating: 0, count: 65)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(host)-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    }
}

extension DatabaseURL {
    /// Brings a ledger's tables up to date without a server, as a platform does before it starts the new version. Creates
    /// the ledger if it does not exist. Throws if a server uses its file, or if a newer version wrote it.
    public func migrate() throws(LedgerError) {
        switch self {
        case .sqlite(let path):
            let lock = try LedgerLock(path: path)
            defer { withExtendedLifetime(lock) {} }
            let policy = AccessPolicy(sandboxUsers: .only([]))
            _ = try SQLiteEngine(path: path).openRepository(policy: policy, streams: .standard)
        // Opening the ledger migrates it.
        case .postgres(let url): _ = try OpenedLedger.shared(url, listening: nil, node: OpenedLedger.nodeName())
        }
    }
}

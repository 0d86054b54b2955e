public import Domain
import Support
import Synchronization

/// Follows a ledger that several nodes write: `onEntries` receives every entry once, in the order of positions, on this
/// thread, whichever node committed it.
///
/// This node's commits are handed over by its writer. Those of others are read from the log: as soon as somebody says
/// that there is something, and once a second in any case. Another thread reads, says that this node lives and keeps its
/// lease, so that what this node commits does not wait for a slow connection. A third one listens to the other nodes.
public final class LedgerFollower: Sendable {
    private static let pageSize = 500
    /// Three attempts fit into a lease.
    static let heartbeat: UInt64 = 3_000_000_000

    public let leaderLease = LeaderLease()
    private let inbox = Monitor(FollowerInbox())
    /// Where the follower asks for the entries after a position, one question at a time, and the log's thread finds it.
    private let desk = Monitor((position: Int64?.none, isClosed: false))
    private let queue = NodeMessageQueue()
    private let onEntries: @Sendable ([Entry]) -> Void
    private let follower = OwnedThread()
    private let log = OwnedThread()
    private let listener = OwnedThread()
    /// The database's last answer, and when it came.
    private let told = Mutex<(report: SharedLedgerReport, at: MonotonicTime)?>(nil)

    public init(onEntries: @escaping @Sendable ([Entry]) -> Void) { self.onEntries = onEntries }

    /// Takes what this node has committed, on the writer's thread.
    public func committed(_ entries: [Entry]) { inbox.change { $0.add(committed: entries) } }

    /// Sends something to the other nodes, which get it after all that this one has committed before. It may get lost.
    /// Returns false when too much waits. What is vital is lost only with the connection.
    @discardableResult
    public func sendToNodes(_ body: [UInt8], isVital: Bool = false) -> Bool {
        queue.send(body, isVital: isVital)
    }

    /// Tells this node of a message, after all that this node has committed before.
    public func pass(_ body: [UInt8]) {
        inbox.change { $0.add(.message(NodeMessage(body: body, position: $0.newest))) }
    }

    /// The database's report on all nodes at this node's last heartbeat; nil until the first. No round trip. Any
    /// thread may ask.
    public var report: SharedLedgerReport? {
        guard let told = told.withLock({ $0 }) else { return nil }
        return told.report.aged(seconds: Int64((monotonicNanoseconds() - told.at) / 1_000_000_000))
    }

    /// What the follower finds out. It says so on its own threads, and nobody may block them for long.
    public enum Finding: Sendable {
        /// This node has got the work that one node does for all.
        case lead(Lease)
        /// The ledger has lost commits and has a new epoch: this process has to begin again.
        case loss
        /// A newer version has changed the tables: this process has to end.
        case outdated
        /// The database has answered a heartbeat; what its clock says now, unless that took too long.
        case beat(Instant?)
        /// The database's report on all nodes, after each heartbeat.
        case report(SharedLedgerReport)
        /// These users were erased, after `onEntries` got the entries that say so.
        case erased(ErasedUsers)
        /// A message of another node, or of this one.
        case message([UInt8])
        /// Messages of other nodes may have been missed.
        case interruption
        /// The number of messages that were not handed on, because too much waited.
        case dropped(Int)
    }

    public typealias Teller = @Sendable (Finding) -> Void

    /// Follows the log after `position`. `digests` are those of this node's settings, at each heartbeat.
    public func start(
        _ engine: PostgresEngine,
        policy: AccessPolicy,
        streams: StreamPattern,
        after position: Int64,
        health: LedgerHealth,
        digests: @escaping @Sendable () -> [String: [String]] = { [:] },
        tell: @escaping Teller
    ) throws(LedgerError) {
        try log.start("ledger-log") { [self] opened throws(LedgerError) in
            var (queries, membership) = try engine.openLog(policy: policy, streams: streams, digests: digests)
            opened(())
            serve(&queries, membership, health: health, tell: tell)
        }
        follower.start("ledger-follower") { [self] in
            follow(from: LogReadDecision(after: position), nodeState: engine.nodeState, tell: tell)
        }
        listener.start("ledger-listener") { [self] in listen(engine, health: health) }
    }

    /// Waits until everything that was committed has been handed on.
    public func close() {
        inbox.change { $0.isClosed = true }
        queue.close()
        for thread in [follower, log, listener] { thread.join() }
    }

    /// The log's thread works until the last entry is out, so that its lease ends after that.
    private func follow(from start: LogReadDecision, nodeState: PostgresNodeState, tell: Teller) {
        var decision = start
        while true {
            let news = take(until: decision.dueAt)
            publish(decision.committed(news.committed), nodeState: nodeState)
            if let reading = news.reading {
                let now = monotonicNanoseconds()
                let entries = decision.read(reading.entries, hasMore: reading.hasMore, now: now)
                publish(entries, nodeState: nodeState)
                if !reading.erased.isEmpty, entries.contains(where: \.isNamelessErasure) {
                    tell(.erased(reading.erased))
                }
            }
            if news.isClosed { break }
            if news.isInterrupted { tell(.interruption) }
            if news.dropped > 0 { tell(.dropped(news.dropped)) }
            let now = monotonicNanoseconds()
            decision.heard(news.position)
            for message in news.messages { decision.heard(message, now: now) }
            for action in decision.due(at: now) {
                switch action {
                case .pass(let body): tell(.message(body))
                case .read(let position): desk.change { $0.position = position }
                }
            }
        }
        desk.change { $0.isClosed = true }
    }

    /// Sleeps until something has arrived, or until `end`.
    private func take(until end: MonotonicTime) -> FollowerInbox {
        let now = monotonicNanoseconds()
        let timeout = Duration.nanoseconds(Int64(clamping: min(end - now, LogReadDecision.interval)))
        let news = inbox.wait(timeout: timeout) { $0.isEmpty && !$0.isClosed ? nil : $0.take() }
        return news ?? FollowerInbox()
    }

    private func publish(_ entries: [Entry], nodeState: PostgresNodeState) {
        guard let last = entries.last else { return }
        onEntries(entries)
        nodeState.remember(last.position, committedAt: last.committedAt)
    }

    /// Without notifications, the follower's own interval remains.
    private func listen(_ engine: PostgresEngine, health: LedgerHealth) {
        var backoff = Backoff.ofPostgres
        while !queue.isClosed {
            var endedUnheard = false
            var hasHeard = false
            do throws(EngineError) {
                try engine.listen(sending: queue) { news in
                    if news == .connected {
                        health.report(.notifications, problem: nil)
                        backoff.works(at: monotonicNanoseconds())
                        hasHeard = true
                    }
                    endedUnheard = news == .disconnected
                    inbox.change { $0.add(news) }
                }
            } catch {
                let effect = "other nodes' commits show late, their transient broadcasts not at all"
                health.report(.notifications, problem: "\(effect): \(error.advice)", outage: error.outage)
            }
            let pause = backoff.failed(at: monotonicNanoseconds(), jitter: .random(in: 0...1))
            // Where no notification has come through, the next connection will hardly hear one.
            let isHopeless = endedUnheard && !hasHeard
            queue.waitUntilClosed(timeout: isHopeless ? LedgerFollower.pauseWhenUnheard : pause)
        }
    }

    private static let pauseWhenUnheard = Duration.seconds(60)
}

/// The log's thread: it reads what it is asked for, says that this node lives and keeps its lease.
extension LedgerFollower {
    private func serve(
        _ queries: inout LedgerQueries,
        _ membership: PostgresMembership,
        health: LedgerHealth,
        tell: Teller
    ) {
        var limit = LedgerFollower.pageSize
        var beatAt: MonotonicTime = 0
        while true {
            let now = monotonicNanoseconds()
            let end = beatAt + LedgerFollower.heartbeat
            let news = desk.wait(timeout: .nanoseconds(Int64(clamping: end - now))) { desk in
                defer { desk.position = nil }
                return desk.isClosed || desk.position != nil ? desk : nil
            }
            if news?.isClosed == true {
                leaderLease.resign()
                return membership.resign()
            }
            if let position = news?.position {
                let reading = read(&queries, after: position, limit: limit, health: health)
                // Fragments of a page may be too many bytes for one answer.
                limit = reading.entries == nil ? max(1, limit / 4) : min(LedgerFollower.pageSize, limit * 2)
                inbox.change { $0.reading = reading }
            }
            let start = monotonicNanoseconds()
            guard start - beatAt >= LedgerFollower.heartbeat else { continue }
            beatAt = start
            renew(membership, at: start, health: health, tell: tell)
        }
    }

    private func read(_ queries: inout LedgerQueries, after position: Int64, limit: Int, health: LedgerHealth)
        -> LogReading
    {
        do throws(LedgerError) {
            let (entries, erased) = try queries.snapshot { try $0.log(after: position, limit: limit) }
            health.report(.log, problem: nil)
            return LogReading(entries: entries, erased: erased, hasMore: entries.count == limit)
        } catch {
            health.report(
                .log,
                problem: "what other nodes commit cannot be read: \(error)",
                outage: error.outage
            )
            return LogReading()
        }
    }

    /// The lease began when the server was asked, or later: so this node lets go before the server does.
    private func renew(_ membership: PostgresMembership, at start: MonotonicTime, health: LedgerHealth, tell: Teller) {
        let length = UInt64(PostgresMembership.leaseSeconds - 1) * 1_000_000_000
        do throws(EngineError) {
            if try membership.changeEpochIfLost() { return tell(.loss) }
            let standing = try membership.renew()
            if standing.isOutdated {
                leaderLease.resign()
                return tell(.outdated)
            }
            if let lease = standing.lease, leaderLease.renew(lease, until: start + length) { tell(.lead(lease)) }
            // At once: what is asked next takes its time.
            tell(.beat(standing.now))
            health.report(.membership, problem: nil)
        } catch {
            let effect = "this node cannot say that it lives, nor lead"
            return health.report(
                .membership,
                problem: "\(effect): \(error.advice)",
                outage: error.outage
            )
        }
        guard let report = try? membership.report() else { return }
        told.withLock { $0 = (report, start) }
        tell(.report(report))
    }
}

internal import Concurrency
public import Domain
public import LedgerInterface
public import LedgerSQL
internal import Synchronization

/// Follows a ledger that several nodes write: `onEntries` receives every entry once, in the order of positions, on this
/// thread, whichever node committed it.
///
/// What this node commits is handed over by its writer. What others commit is read from the log: as soon as somebody says
/// that there is something, and once a second in any case. The same thread says that this node lives, and keeps its
/// lease.
public final class LedgerFollower: Sendable {
    /// How long another node's commit stays unseen when no notification of it arrives.
    private static let interval: UInt64 = 1_000_000_000
    private static let pageSize = 500
    /// Three attempts fit into a lease.
    private static let heartbeat: UInt64 = 3_000_000_000

    private enum News {
        case committed([Entry])
        /// Somebody has committed everything up to this position.
        case hint(Int64)
    }

    public let leadership = Leadership()
    private let mailbox: Mailbox<News>
    private let waker: Waker
    private let onEntries: @Sendable ([Entry]) -> Void
    private let threads = Mutex<[WorkerThread]>([])

    public init(onEntries: @escaping @Sendable ([Entry]) -> Void) {
        let waker = Waker()
        self.waker = waker
        self.onEntries = onEntries
        mailbox = Mailbox(capacity: .max) { waker.wake() }
    }

    /// Takes what this node has committed, on the writer's thread.
    public func committed(_ entries: [Entry]) {
        mailbox.send(.committed(entries))
    }

    /// What the follower finds out. It runs on the follower's thread and must not block.
    public struct Events: Sendable {
        /// This node has got the work that one node does for all.
        public var onLead: @Sendable () -> Void
        /// The ledger has lost commits and has a new epoch: this process has to begin again.
        public var onLoss: @Sendable () -> Void
        /// A newer version has changed the tables: this process has to end.
        public var onOutdated: @Sendable () -> Void
        /// What the database's clock says now.
        public var onTime: @Sendable (Instant) -> Void

        public init(
            onLead: @escaping @Sendable () -> Void,
            onLoss: @escaping @Sendable () -> Void,
            onOutdated: @escaping @Sendable () -> Void,
            onTime: @escaping @Sendable (Instant) -> Void
        ) {
            self.onLead = onLead
            self.onLoss = onLoss
            self.onOutdated = onOutdated
            self.onTime = onTime
        }
    }

    /// Follows the log after `position`.
    public func start(
        _ engine: any SharedLedgerEngine,
        policy: AccessPolicy,
        streams: StreamPattern,
        after position: Int64,
        health: LedgerHealth,
        events: Events
    ) throws(LedgerError) {
        let opened = Promise<LedgerError?>()
        let follower = WorkerThread(name: "ledger-follower") { [self] in
            do throws(LedgerError) {
                let log = try engine.openLog(policy: policy, streams: streams)
                opened.fulfil(nil)
                run(log, from: CommitSequence(after: position), health: health, events: events)
            } catch {
                opened.fulfil(error)
            }
        }
        if let error = opened.wait() {
            follower.join()
            throw error
        }
        let listener = WorkerThread(name: "ledger-listener") { [self] in listen(engine, health: health) }
        threads.withLock { $0 = [follower, listener] }
    }

    /// Waits until everything that was committed has been handed on.
    public func close() {
        mailbox.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    private func run(
        _ log: LedgerLog,
        from start: CommitSequence,
        health: LedgerHealth,
        events: Events
    ) {
        var sequence = start
        var readAt: UInt64 = 0
        var beatAt: UInt64 = 0
        while !mailbox.isClosed {
            let now = monotonicNanoseconds()
            var isDue = now - readAt >= LedgerFollower.interval
            for news in mailbox.drain() {
                switch news {
                case .committed(let entries): publish(sequence.committed(entries), in: log)
                case .hint(let position): isDue = isDue || position > sequence.position
                }
            }
            if isDue || sequence.hasGap {
                readAt = now
                if read(log, into: &sequence, health: health) { readAt = 0 }
            }
            if now - beatAt >= LedgerFollower.heartbeat {
                beatAt = now
                renew(log.membership, at: now, events: events)
            }
            if readAt > 0, mailbox.count == 0 { waker.wait(timeout: .nanoseconds(Int64(LedgerFollower.interval))) }
        }
        for case .committed(let entries) in mailbox.drain() { publish(sequence.committed(entries), in: log) }
        leadership.resign()
        log.membership.resign()
    }

    /// Returns true when there is more.
    private func read(_ log: LedgerLog, into sequence: inout CommitSequence, health: LedgerHealth) -> Bool {
        do throws(LedgerError) {
            let entries = try log.queries.log(after: sequence.position, limit: LedgerFollower.pageSize)
            health.report(.log, problem: nil)
            publish(sequence.read(entries), in: log)
            return entries.count == LedgerFollower.pageSize
        } catch {
            health.report(.log, problem: "what other nodes commit cannot be read: \(error)")
            return false
        }
    }

    private func publish(_ entries: [Entry], in log: LedgerLog) {
        guard let last = entries.last else { return }
        onEntries(entries)
        log.membership.published(last)
    }

    /// The lease began when the server was asked, or later: so this node lets go before the server does.
    private func renew(_ membership: any NodeMembership, at start: UInt64, events: Events) {
        let lease = UInt64(type(of: membership).leaseSeconds - 1) * 1_000_000_000
        if (try? membership.changeEpochIfLost()) == true { return events.onLoss() }
        guard let standing = try? membership.renew() else { return }
        events.onTime(standing.now)
        if standing.isOutdated { return events.onOutdated() }
        if standing.leads, leadership.renew(until: start + lease) { events.onLead() }
    }

    /// Without notifications, the follower's own interval remains.
    private func listen(_ engine: any SharedLedgerEngine, health: LedgerHealth) {
        while !mailbox.isClosed {
            do throws(EngineError) {
                try engine.listen(isClosing: { mailbox.isClosed }) { position in
                    health.report(.notifications, problem: nil)
                    mailbox.send(.hint(position))
                }
            } catch {
                health.report(.notifications, problem: "other nodes' commits show late: \(error.message)")
                if !mailbox.isClosed { Waker().wait(timeout: .seconds(1)) }
            }
        }
    }
}

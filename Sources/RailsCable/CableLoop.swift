internal import Concurrency
internal import Observability
internal import RailsBroadcasts
internal import Synchronization

/// The listener's thread: asks the table what `CableCursor` wants to know, when `CableHealth` says so.
final class CableLoop {
    private let ports: CablePorts
    private let takesOver: @Sendable () -> Bool
    private let heal: HealBroadcasts
    private let delivery: BroadcastDelivery
    private let table: any CableTable
    private var cursor = CableCursor()
    private var health: CableHealth
    /// What to make up for once the table's head is known.
    private var gap: BroadcastGap? = .beforeStart

    init(_ ports: CablePorts, takesOver: @escaping @Sendable () -> Bool, heal: @escaping HealBroadcasts) {
        self.ports = ports
        self.takesOver = takesOver
        self.heal = heal
        let channels = RailsChannels(prefix: ports.settings.prefix)
        delivery = BroadcastDelivery(ports.broadcasts, channels: channels, counts: ports.counts.broadcasts)
        table =
            switch ports.settings.url {
            case .sqlite(let path): SQLiteCableTable(path: path)
            case .postgres(let url): PostgresCableTable(url)
            }
        health = CableHealth(timing: ports.timing, now: moment())
    }

    /// Returns when the mailbox has been closed.
    func run() {
        while !ports.broadcasts.mailbox.isClosed {
            takeCommitments()
            read()
            delivery.submit(at: moment())
            tell()
            sleep()
        }
        delivery.submitRest()
    }

    private func sleep() {
        let next = min(health.next, delivery.retry ?? .seconds(Int64.max))
        // Round up: a poll that ends too early would only be repeated.
        let timeout = max(.zero, next - moment()) + .milliseconds(1)
        var sockets: [PolledSocket] = []
        ports.broadcasts.bell.wait(timeout: timeout, or: &sockets)
    }

    private func takeCommitments() {
        let refused = delivery.takeCommitments(at: moment())
        guard refused > 0 else { return }
        ports.log.error("broadcasts of rails cable refused by the ledger", fields: ["count": refused])
        heal(.outage)
    }

    private func read() {
        guard health.next <= moment() else { return }
        guard delivery.hasRoom else { return health.postpone(at: moment()) }
        if takesOver() {
            delivery.drop()
            cursor = CableCursor()
            gap = gap ?? .outage
        }
        do throws(CableProblem) {
            let hasMore = try ask()
            report(health.succeeded(at: moment(), hasMore: hasMore))
        } catch {
            guard health.failed(error, at: moment(), random: .random(in: 0...1)) else { return }
            ports.counts.outages.add()
            ports.log.warning("rails cable lost", fields: ["cable": ports.settings.url, "problem": error])
        }
    }

    /// Returns whether to ask again at once.
    private func ask() throws(CableProblem) -> Bool {
        switch cursor.ask(failures: health.failures) {
        case .head:
            cursor.begin(at: try table.head(), now: moment())
            if let gap { heal(gap) }
            gap = nil
            return true
        case .rows(let question):
            let taken = cursor.take(try table.rows(question), limit: question.limit, now: moment())
            for row in taken.rows { delivery.take(row.payload, from: row.channel) }
            ports.counts.late.add(taken.late)
            if let gap = taken.gap { lose(gap) }
            return taken.hasMore
        }
    }

    private func lose(_ reason: CableCursor.Gap) {
        ports.counts.gaps.add()
        ports.log.warning(
            "broadcasts of rails cable may be lost",
            fields: ["cable": ports.settings.url, "reason": reason.rawValue]
        )
        // What is rendered before the head is read may lack what the head contains.
        if cursor.ask() == .head { gap = .outage } else { heal(.outage) }
    }

    private func report(_ news: CableHealth.News?) {
        switch news {
        case nil: break
        case .connected: ports.log.info("rails cable connected", fields: ["cable": ports.settings.url])
        case .recovered(let outage):
            ports.log.info(
                "rails cable is back",
                fields: ["cable": ports.settings.url, "seconds": outage.components.seconds]
            )
        }
    }

    private func tell() {
        let isStuck = delivery.isStuck(at: moment(), patience: ports.timing.patience)
        let problem = health.problem ?? (isStuck ? .ledger : nil)
        ports.counts.connected.set(health.problem == nil ? 1 : 0)
        ports.problem.withLock { $0 = problem }
    }
}

private func moment() -> Duration {
    .nanoseconds(Int64(clamping: monotonicNanoseconds()))
}

import Domain
import Support
import Synchronization

/// The log's thread: it reads what it is asked for, says that this node lives and keeps its lease.
extension LedgerFollower {
    func serve(_ log: LedgerLog, health: LedgerHealth, events: Events) {
        var limit = LedgerFollower.pageSize
        var beatAt: UInt64 = 0
        while true {
            let now = monotonicNanoseconds()
            let end = beatAt + LedgerFollower.heartbeat
            switch desk.wait(timeout: .nanoseconds(Int64(clamping: end > now ? end - now : 0))) {
            case .read(let position):
                let reading = read(log, after: position, limit: limit, health: health)
                // Fragments of a page may be too many bytes for one answer.
                limit = reading.entries == nil ? max(1, limit / 4) : min(LedgerFollower.pageSize, limit * 2)
                inbox.change { $0.add(reading) }
            case .nothing: break
            case .close:
                leaderLease.resign()
                return log.membership.resign()
            }
            let start = monotonicNanoseconds()
            guard start - beatAt >= LedgerFollower.heartbeat else { continue }
            beatAt = start
            renew(log.membership, at: start, health: health, events: events)
        }
    }

    private func read(_ log: LedgerLog, after position: Int64, limit: Int, health: LedgerHealth) -> LogReading {
        do throws(LedgerError) {
            let (entries, erased) = try log.queries.log(after: position, limit: limit)
            health.report(.log, problem: nil)
            return LogReading(entries: entries, erased: erased, hasMore: entries.count == limit)
        } catch {
            health.report(.log, problem: "what other nodes commit cannot be read: \(error)")
            return LogReading()
        }
    }

    /// The lease began when the server was asked, or later: so this node lets go before the server does.
    private func renew(_ membership: any NodeMembership, at start: UInt64, health: LedgerHealth, events: Events) {
        let length = UInt64(type(of: membership).leaseSeconds - 1) * 1_000_000_000
        do throws(EngineError) {
            if try membership.changeEpochIfLost() { return events.onLoss() }
            let standing = try membership.renew()
            if standing.isOutdated {
                leaderLease.resign()
                return events.onOutdated()
            }
            if let lease = standing.lease, leaderLease.renew(lease, until: start + length) { events.onLead(lease) }
            // At once: what is asked next takes its time.
            events.onBeat(standing.now)
            health.report(.membership, problem: nil)
        } catch {
            let effect = "this node cannot say that it lives, nor lead"
            return health.report(.membership, problem: "\(effect): \(error.advice)")
        }
        if let report = try? membership.report() { told.withLock { $0 = (report, start) } }
    }
}

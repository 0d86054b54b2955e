internal import Domain
internal import Ledger
internal import Rails
internal import Support

/// A node that shares its ledger with others.
extension ServerCore {
    /// Follows what other nodes commit, and ends or restarts this server when the ledger requires it. A node that
    /// becomes the leader may have missed broadcasts before.
    func follow(after position: Int64, restart: Restart) throws(StartError) {
        let hearsBroadcasts = configuration.redis != nil
        let streams = configuration.streamPattern
        let events = LedgerFollower.Events(
            onLead: { [log, lead] lease in
                let work = "jobs, recoveries, questions to stores, broadcasts of rails"
                log.info("this node leads", fields: ["work": work, "lease": lease.number])
                // Who reads the cable's table does so once the table's head is known.
                if hearsBroadcasts { lead.recordLoss(under: lease) }
            },
            onLoss: { [log] in
                log.error(
                    "ledger lost commits",
                    fields: ["todo": "none: this server restarts with a new epoch"]
                )
                restart.restart()
            },
            onOutdated: { [log] in
                log.error("ledger has a newer schema", fields: ["todo": "run the version that the other nodes have"])
                restart.end()
            },
            onBeat: { [lead] instant in
                if let instant { followClock(to: instant) }
                lead.retry()
            },
            onErased: { [publisher, workers] erased in
                publisher.reloadPages(on: workers) { stream in streams.user(of: stream).map(erased.contains) ?? false }
            },
            onMessage: { [publisher] body in publisher.heard(body) },
            // A user's language may have changed meanwhile.
            onInterruption: { [publisher, ledger, follows] in
                publisher.forgetAll()
                guard let follows else { return }
                ledger.sendToOthers(of: .whoFollows)
                follows.sayAgain()
            },
            onDrop: { [dropped] count in dropped.add(count) }
        )
        do throws(LedgerError) {
            try ledger.follow(after: position, configuration: configuration, health: writer.health, events: events)
        } catch {
            throw .ledger(error)
        }
    }

    private func followClock(to instant: Instant) {
        if ServerCore.follow(instant, by: clock, configuration, log: log) { writer.wake() }
    }

    /// The clocks of nodes may be minutes apart; periods end by the database's. Returns whether the clock was set.
    @discardableResult
    static func follow(_ instant: Instant, by clock: Clock, _ configuration: Configuration, log: Log) -> Bool {
        let difference = instant.milliseconds - clock.now().milliseconds
        guard abs(difference) > 1000, configuration.developmentNow == nil else { return false }
        clock.set(to: instant)
        log.warning("clock follows PostgreSQL", fields: ["milliseconds": difference])
        return true
    }
}

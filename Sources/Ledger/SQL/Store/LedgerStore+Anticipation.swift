public import Domain
public import Rules

/// Loads what many commands will need with few questions to an engine that is far away: without it, each command of a
/// batch would wait for its own.
extension LedgerStore {
    /// What a decision asks for depends on what it found, so it takes a few rounds; a chain of contracts takes more, and
    /// loads the rest by itself.
    private static let rounds = 6

    /// Call it before the batch's first command.
    public mutating func anticipate(_ events: [IncomingEvent], now: Instant) throws(EngineError) {
        guard !events.isEmpty else { return }
        var needs = events.flatMap(\.needs)
        for _ in 0..<LedgerStore.rounds where !needs.isEmpty {
            try loadTogether(needs)
            needs = events.flatMap { missing(in: $0, at: now) }
        }
    }

    /// One question may follow from another's answer, such as a contract's tokens from its row.
    private mutating func loadTogether(_ needs: [Need]) throws(EngineError) {
        let needs = needs.filter { !known.knows($0) }
        while try connection.readAhead({
            var trial = self
            for need in needs { try? trial.load(need) }
        }) {}
        for need in needs where !known.knows(need) { try load(need) }
    }

    private func missing(in event: IncomingEvent, at now: Instant) -> [Need] {
        var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
        do throws(Missing) {
            _ = try unit.record(event)
            return []
        } catch {
            return error.needs
        }
    }
}

public import Domain
public import LedgerInterface
internal import Rules

/// Loads what a batch will need, with few questions to a distant engine. Without it, each command would wait for its
/// own answers.
extension LedgerRepository {
    /// The number of rounds. A decision's next question depends on the answers so far, so it takes a few; a chain of
    /// contracts takes more, and loads the rest by itself.
    private static let rounds = 6

    /// Begins a transaction, and loads what these commands and the end of access at `now` need.
    public mutating func begin(anticipating commands: [AnticipatedCommand], now: Instant) throws(EngineError) {
        guard connection.isShared else { return try begin() }
        var needs = commands.flatMap(\.needs)
        _ = try connection.readAhead {
            var trial = self
            trial.known = WorkingSet(head: 0)
            _ = try? (trial.endedContracts(at: now), trial.loadTotals())
            for need in needs { try? trial.load(need) }
            for key in commands.compactMap(\.key) { _ = try? trial.findBroadcast(key, at: now) }
        }
        try begin()
        try loadTotals()
        for key in commands.compactMap(\.key) { broadcasts[key.text] = .some(try findBroadcast(key, at: now)) }
        let ends = try endedContracts(at: now).map { key in
            AnticipatedCommand { unit throws(Missing) in try unit.endAccess(of: key) }
        }
        var undecided = ends + commands
        for _ in 0..<LedgerRepository.rounds {
            try loadTogether(needs)
            needs = []
            undecided.removeAll { command in
                let missing = missing(in: command, at: now)
                needs += missing
                return missing.isEmpty
            }
            if needs.isEmpty { return }
        }
    }

    /// Sends a question in advance that is asked after the commit.
    public func askAheadForNextEnd() throws(EngineError) {
        _ = try connection.readAhead { _ = try? nextEnd() }
    }

    private mutating func loadTotals() throws(EngineError) {
        _ = try knowsErasures()
        unclaimed = try countUnclaimed()
        lastContract = try statements.lastContract.first { row in row.integer(0) } ?? 0
    }

    /// One question may follow from another's answer, such as a contract's tokens from its row.
    private mutating func loadTogether(_ needs: [Need]) throws(EngineError) {
        let needs = Set(needs).filter { !known.knows($0) }
        while try connection.readAhead({
            var trial = self
            for need in needs { try? trial.load(need) }
        }) {}
        for need in needs where !known.knows(need) { try load(need) }
    }

    private func missing(in command: AnticipatedCommand, at now: Instant) -> [Need] {
        var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
        do throws(Missing) {
            try command.decide(&unit)
            try unit.settle()
            return []
        } catch {
            return error.needs
        }
    }
}

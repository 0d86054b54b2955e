import APIModel
import Domain
import Ledger
import Stores
import Support

/// Reads stored events again and rebuilds their contracts. It blocks on the ledger, so run it on the operators' threads
/// only.
struct EventReplay {
    struct Result {
        var read = 0
        var changes: [ReplayChange] = []
        var skipped: [(event: StoredEvent, reason: String)] = []
        var told: [UserID] = []
        /// Contracts that were left unchanged because the store kept sending events about them, by the store's lineage
        /// id.
        var left: [String] = []
        var next: Cursor?
    }

    /// The number of events on a page.
    static let limit = 100
    /// The number of one contract's events that are in memory at a time.
    private static let pageSize = 100
    /// The greatest number of times that a contract is read: again whenever the store sends an event about it in
    /// between.
    private static let attempts = 5

    let verifiers: [Provider: any StoreVerifier]
    let reader: LedgerReader
    let writer: LedgerWriter
    let epoch: String
    let act: Act

    /// Replays one page of a selection. A contract is rebuilt, from all of its events, on the page with its newest
    /// event.
    func run(_ selection: EventSelection, mode: ReplayMode) throws(LedgerError) -> Result {
        let page = try reader.answer { try $0.events(selection, limit: Self.limit) }
        var result = Result(read: page.count)
        if selection.ids.isEmpty, page.count == Self.limit, let last = page.last {
            result.next = Cursor(epoch: epoch, position: last.position)
        }
        let contracts = try contracts(ending: page, of: selection, hasMore: result.next != nil)
        if mode == .broadcast {
            // A transfer may have moved several contracts, but it is filed under one.
            let users = page.compactMap { try? verifiers.interpret($0)?.transfer }.flatMap { $0.from + [$0.to] }
            result.told = try wait {
                writer.submit(.audited(.rebroadcast(contracts: contracts, users: users, completion: $0), by: act))
            }
            return result
        }
        let loose = page.filter { $0.contract == nil }.compactMap { read($0, into: &result) }
        try commit(loose, contracts: contracts, isTrial: mode == .dryRun, into: &result)
        return result
    }

    /// The contracts that have no event on a later page.
    private func contracts(
        ending page: [StoredEvent],
        of selection: EventSelection,
        hasMore: Bool
    ) throws(LedgerError) -> [Int64] {
        let ids = Set(page.compactMap(\.contract)).sorted()
        guard hasMore, let last = page.last else { return ids }
        var ending: [Int64] = []
        for id in ids {
            let stored = try reader.answer { try $0.contract(id, until: selection.until) }
            if let stored, stored.newest <= last.position { ending.append(id) }
        }
        return ending
    }

    private func commit(
        _ loose: [Event],
        contracts: [Int64],
        isTrial: Bool,
        into result: inout Result
    ) throws(LedgerError) {
        var left = try attempt(loose, contracts: contracts, isTrial: isTrial, into: &result)
        for _ in 1..<Self.attempts where !left.isEmpty {
            // Even if the remaining contracts fail, the result must report what was done.
            guard let less = try? attempt([], contracts: left.map(\.id), isTrial: isTrial, into: &result) else { break }
            left = less
        }
        result.left = left.map(\.key.lineage)
    }

    /// Returns the contracts that changed while they were read; they are left untouched.
    private func attempt(
        _ events: [Event],
        contracts: [Int64],
        isTrial: Bool,
        into result: inout Result
    ) throws(LedgerError) -> [(id: Int64, key: ContractKey)] {
        var batch = ReplayBatch(events: events)
        var ids: [ContractKey: Int64] = [:]
        for id in contracts {
            guard let rebuild = try rebuild(id, unrelated: &batch.events, into: &result) else { continue }
            ids[rebuild.known.key] = id
            batch.rebuilds.append(rebuild)
        }
        let report = try wait { [batch] in
            writer.submit(.audited(.replay(batch, isTrial: isTrial, completion: $0), by: act))
        }
        result.changes += report.changes.filter(\.changesSomething)
        return report.outdated.compactMap { key in ids[key].map { ($0, key) } }
    }

    /// `unrelated` receives events filed under this contract that say nothing about it, or that belong to another
    /// contract.
    private func rebuild(_ id: Int64, unrelated: inout [Event], into result: inout Result) throws(LedgerError)
        -> ContractRebuild?
    {
        // The contract is read before its events: the rebuild is void if an event arrives in between.
        guard var rebuild = try reader.answer({ try $0.contract(id, until: .max) }) else { return nil }
        var position: Int64 = 0
        while true {
            let range = EventSelection(contract: id, after: position)
            let page = try reader.answer { try $0.events(range, limit: Self.pageSize) }
            for one in page {
                guard var event = read(one, into: &result) else {
                    rebuild.miss()
                    continue
                }
                if event.observation?.contract == rebuild.known.key, let product = rebuild.known.product {
                    event = event.led(by: product)
                }
                let isUnrelated = event.observation.map { $0.contract != rebuild.known.key } ?? (event.transfer != nil)
                if isUnrelated { unrelated.append(event) }
                // Older versions did not file the further products of a purchase.
                unrelated += event.lines
                rebuild.fold(event)
            }
            guard page.count == Self.pageSize, let last = page.last else { return rebuild }
            position = last.position
        }
    }

    private func read(_ one: StoredEvent, into result: inout Result) -> Event? {
        let reason: String
        do throws(VerificationError) {
            // The retention emptied it, or the erasure of a user.
            guard !one.body.isEmpty else { return skip(one, because: "emptied", in: &result) }
            if let event = try verifiers.interpret(one) { return event }
            reason = "not_replayable"
        } catch {
            reason = error.code
        }
        return skip(one, because: reason, in: &result)
    }

    private func skip(_ one: StoredEvent, because reason: String, in result: inout Result) -> Event? {
        if !result.skipped.contains(where: { $0.event.position == one.position }) {
            result.skipped.append((one, reason))
        }
        return nil
    }

    private func wait<Value: Sendable>(
        _ ask: (@escaping @Sendable (Swift.Result<Value, LedgerError>) -> Void) -> Bool
    ) throws(LedgerError) -> Value {
        let answer = Promise<Swift.Result<Value, LedgerError>>()
        guard ask({ answer.fulfil($0) }) else { throw .busy }
        return try answer.wait().get()
    }
}

extension [Provider: any StoreVerifier] {
    /// Reads what was verified when it was committed. Nil if it means nothing without the store's API.
    func interpret(_ event: StoredEvent) throws(VerificationError) -> Event? {
        guard let verifier = self[event.provider] else { throw .notConfigured }
        let delivered = try verifier.interpret(
            StoredDelivery(
                id: event.id,
                body: event.body,
                environment: event.environment,
                app: event.app,
                receivedAt: event.receivedAt
            )
        )
        return delivered?.filed(as: event.id)
    }
}

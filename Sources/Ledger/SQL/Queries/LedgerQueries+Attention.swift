public import Domain

extension LedgerQueries {
    private static let attentionLimit = 50
    private static let unclaimedPage: Int64 = 200
    /// A person needs to know that there are more than a thousand, and no more.
    private static let waitingLimit = 1001
    /// A store that is not told in time takes the money back.
    private static let urgency = Duration.seconds(86_400)

    /// What somebody should look at. `addresses` are the backend's.
    public func attention(of addresses: [String]) throws(LedgerError) -> Attention {
        let hooks = try hookAddresses(addresses, countingTo: LedgerQueries.waitingLimit)
        let failed = try hookDeliveries(in: .failed, before: .max, limit: LedgerQueries.attentionLimit)
        return try snapshot { _ throws(EngineError) in
            let limit = Value.integer(Int64(LedgerQueries.attentionLimit))
            let urgent = try statements.urgentJobs.all(
                [Value(now + LedgerQueries.urgency), limit],
                read: TroubledJob.read
            )
            let abandoned = try statements.abandonedJobs.all([limit], read: TroubledJob.read)
            return Attention(
                unclaimedContracts: try statements.unclaimed.first { Int($0.integer(0)) } ?? 0,
                unclaimed: try unclaimed(),
                // What an erased user's events leave behind names nothing.
                quarantined: try statements.entriesInDoubt.all(
                    [.text(Outcome.quarantined.rawValue), limit],
                    read: EntryRow.read
                ),
                jobs: urgent + abandoned,
                hooks: hooks,
                failedHooks: failed
            )
        }
    }

    /// The newest entry of each contract that has no user. Pages on past those whose contract has found its user since, and
    /// past the older ones of the same contract.
    private func unclaimed() throws(EngineError) -> [Entry] {
        var seen: Set<ContractName> = []
        var found: [Entry] = []
        var before = Int64.max
        while found.count < LedgerQueries.attentionLimit {
            let page = try statements.entriesUnclaimed.all(
                [.integer(before), .integer(LedgerQueries.unclaimedPage)],
                read: EntryRow.read
            )
            found += page.filter { entry in ContractName(entry.notice).map { seen.insert($0).inserted } ?? false }
            guard let last = page.last, page.count == Int(LedgerQueries.unclaimedPage) else { break }
            before = last.position
        }
        return Array(found.prefix(LedgerQueries.attentionLimit))
    }

    /// Whether a request with this key was made once, at any node.
    public func hasKey(_ key: IdempotencyKey) throws(LedgerError) -> Bool {
        try snapshot { _ throws(EngineError) in
            try statements.broadcastKey.first([.text(key.text)]) { _ in true } ?? false
        }
    }
}

/// A contract as an entry names it.
private struct ContractName: Hashable {
    var lineage: String
    var provider: Provider
    var environment: StoreEnvironment

    init?(_ notice: Notice) {
        guard let lineage = notice.contract, let provider = notice.provider, let environment = notice.environment else {
            return nil
        }
        (self.lineage, self.provider, self.environment) = (lineage, provider, environment)
    }
}

extension TroubledJob {
    static let columns = """
        kind, provider, environment, app, subject, detail, deadline, attempts, queued_at, reason, abandoned_at
        """

    static func read(_ row: Row) throws(EngineError) -> TroubledJob {
        var reader = RowReader(row)
        return TroubledJob(
            job: try Job(&reader),
            attempts: Int(reader.integer()),
            queuedAt: reader.instant(),
            reason: reader.optionalText(),
            abandonedAt: reader.optionalInstant()
        )
    }
}

public import Domain

struct AttentionSQL {
    let entriesInDoubt, entriesUnclaimed, broadcastKey, urgentJobs, abandonedJobs: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        entriesInDoubt = try connection.entries(
            where: """
                outcome = ? AND outcome IN ('unclaimed', 'quarantined') AND event IS NOT NULL
                ORDER BY position DESC LIMIT ?
                """
        )
        // One of the newest 5,000, whose contract has no user. The subquery that counts is never made a join, which could
        // read all contracts.
        entriesUnclaimed = try connection.entries(
            where: """
                outcome = 'unclaimed' AND outcome IN ('unclaimed', 'quarantined') AND position < ?
                AND position >= COALESCE((
                    SELECT position FROM entries
                    WHERE outcome = 'unclaimed' AND outcome IN ('unclaimed', 'quarantined')
                    ORDER BY position DESC LIMIT 1 OFFSET 4999
                ), 0) AND (
                    SELECT count(*) FROM contracts WHERE contracts.lineage = entries.contract
                        AND contracts.provider = entries.provider AND contracts.environment = entries.environment
                        AND contracts.user IS NULL
                ) > 0
                ORDER BY position DESC LIMIT ?
                """
        )
        broadcastKey = try connection.prepare("SELECT 1 FROM broadcast_keys WHERE key = ?")
        urgentJobs = try connection.prepare(
            """
            SELECT \(TroubledJob.columns) FROM jobs
            WHERE deadline < ? AND due_at IS NOT NULL ORDER BY deadline LIMIT ?
            """
        )
        abandonedJobs = try connection.prepare(
            "SELECT \(TroubledJob.columns) FROM jobs WHERE abandoned_at > 0 ORDER BY abandoned_at DESC LIMIT ?"
        )
    }
}

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
            let urgent = try attentionSQL.urgentJobs.all(
                [Value(now + LedgerQueries.urgency), limit],
                read: TroubledJob.read
            )
            let abandoned = try attentionSQL.abandonedJobs.all([limit], read: TroubledJob.read)
            return Attention(
                unclaimedContracts: try commonSQL.unclaimed.first { Int($0.integer()) } ?? 0,
                unclaimed: try unclaimed(),
                // What an erased user's events leave behind names nothing.
                quarantined: try attentionSQL.entriesInDoubt.all(
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
            let page = try attentionSQL.entriesUnclaimed.all(
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
            try attentionSQL.broadcastKey.first([.text(key.text)]) { _ in true } ?? false
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

    static func read(_ row: inout Row) throws(EngineError) -> TroubledJob {
        TroubledJob(
            job: try Job(&row),
            attempts: Int(row.integer()),
            queuedAt: row.instant(),
            reason: row.optionalText(),
            abandonedAt: row.optionalInstant()
        )
    }
}

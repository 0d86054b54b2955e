public import Domain

extension LedgerQueries {
    private static let attentionLimit = 50
    /// A store that is not told in time takes the money back.
    private static let urgency = Duration.seconds(86_400)

    public func attention(of addresses: [String], now: Instant) throws(LedgerError) -> Attention {
        let hooks = try hookAddresses(addresses)
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
                quarantined: try entries(in: .quarantined),
                jobs: urgent + abandoned,
                hooks: hooks,
                failedHooks: failed
            )
        }
    }

    private func entries(in doubt: Outcome) throws(EngineError) -> [Entry] {
        let newest: [Value] = [.text(doubt.rawValue), .integer(Int64(LedgerQueries.attentionLimit))]
        // What an erased user's events leave behind names nothing.
        return try statements.entriesInDoubt.all(newest, read: EntryRow.read).filter { $0.notice.event != nil }
    }

    /// Without those whose contract has found its user since.
    private func unclaimed() throws(EngineError) -> [Entry] {
        var seen: Set<ContractName> = []
        var found: [Entry] = []
        for entry in try entries(in: .unclaimed) {
            guard let contract = ContractName(entry.notice), seen.insert(contract).inserted else { continue }
            let rows = try statements.contractsByName.all(
                [.text(contract.lineage), .integer(20)],
                read: ContractRow.read
            )
            let isUnclaimed = rows.contains { row in
                row.tracked.user == nil && row.tracked.key.provider == contract.provider
                    && row.tracked.key.environment == contract.environment
            }
            if isUnclaimed { found.append(entry) }
        }
        return found
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
            job: Job(
                kind: try reader.word(),
                provider: try reader.word(),
                environment: try reader.word(),
                app: reader.text(),
                subject: reader.text(),
                detail: reader.optionalText().flatMap { $0.isEmpty ? nil : $0 },
                deadline: reader.optionalInstant()
            ),
            attempts: Int(reader.integer()),
            queuedAt: reader.instant(),
            reason: reader.optionalText(),
            abandonedAt: reader.optionalInstant()
        )
    }
}

public import Domain

/// What the ledger knows of that an operator should look at.
public struct Attention: Sendable {
    /// The contracts that nobody has.
    public var unclaimedContracts: Int
    /// The newest events about such contracts, one of each, newest first.
    public var unclaimed: [Entry]
    /// The newest events that contradict an order, newest first.
    public var quarantined: [Entry]
    /// Those whose deadline is less than a day away, the nearest first; then those that were given up, newest first.
    public var jobs: [TroubledJob]
    /// What stores ask about refunds, and nobody has answered; the most urgent first.
    public var refunds: [RefundQuestion]
    /// How the backend's addresses fare.
    public var hooks: [HookAddressState]
    /// The newest messages to the backend that were given up.
    public var failedHooks: [HookDelivery]
    /// The first fifty users, by their ids, who pay for the same more than once.
    public var doublePayments: [DoublePayment]
    /// The products that the catalog does not name, with how many users wait for each: at most 1001.
    public var unlisted: [(product: UnlistedProduct, users: Int)]
}

/// A product that users have, and of which the catalog does not say what it opens.
public struct UnlistedProduct: Sendable, Hashable {
    public var provider: Provider
    public var product: String

    public init(provider: Provider, product: String) {
        self.provider = provider
        self.product = product
    }
}

/// A job that an operator should know of.
public struct TroubledJob: Sendable, Equatable {
    public var job: Job
    /// The number of failed attempts.
    public var attempts: Int
    public var queuedAt: Instant
    /// Why the last attempt failed.
    public var reason: String?
    /// When it was given up; nil while it waits.
    public var abandonedAt: Instant?
}

extension LedgerQueries {
    private static let attentionLimit = 50
    private static let unclaimedPage: Int64 = 200
    /// A person needs to know that there are more than a thousand, and no more.
    private static let waitingLimit = 1001
    /// A store that is not told in time takes the money back.
    private static let urgency = Duration.seconds(86_400)

    /// What somebody should look at. `addresses` are the backend's.
    public func attention(of addresses: [String]) throws(EngineError) -> Attention {
        let hooks = try hookAddresses(addresses, countingTo: LedgerQueries.waitingLimit)
        let failed = try hookDeliveries(in: .failed, before: .max, limit: LedgerQueries.attentionLimit)
        let limit = Value.integer(Int64(LedgerQueries.attentionLimit))
        let urgent = try sql(
            """
            SELECT \(TroubledJob.columns) FROM jobs
            WHERE deadline < ? AND due_at IS NOT NULL AND (kind NOT IN (\(Job.refunds)) OR kind = ? AND attempts > 0)
            ORDER BY deadline LIMIT ?
            """
        ).all(
            [Value(now + LedgerQueries.urgency), Value(Job.Kind.consumption), limit],
            read: TroubledJob.read
        )
        let abandoned = try sql(
            "SELECT \(TroubledJob.columns) FROM jobs WHERE abandoned_at > 0 AND reason IS NOT NULL ORDER BY abandoned_at DESC LIMIT ?"
        ).all([limit], read: TroubledJob.read)
        return Attention(
            unclaimedContracts: try sql.unclaimed(),
            unclaimed: try unclaimed(),
            // What an erased user's events leave behind names nothing.
            quarantined: try sql.entries(
                where: """
                    outcome = ? AND outcome IN ('unclaimed', 'quarantined') AND event IS NOT NULL
                    ORDER BY position DESC LIMIT ?
                    """,
                [.text(Outcome.quarantined.rawValue), limit]
            ),
            jobs: urgent + abandoned,
            refunds: try refundQuestions(limit: LedgerQueries.attentionLimit),
            hooks: hooks,
            failedHooks: failed,
            doublePayments: try doublePayments(),
            unlisted: try unlistedProducts().map { product throws(EngineError) in (product, try waiting(for: product)) }
        )
    }

    /// How many users wait until the catalog names a product.
    private func waiting(for product: UnlistedProduct) throws(EngineError) -> Int {
        let limit = Value.integer(Int64(LedgerQueries.waitingLimit))
        return try sql(
            """
            SELECT count(*) FROM (
                SELECT DISTINCT user FROM contracts
                WHERE is_unlisted = 1 AND provider = ? AND product = ? AND user IS NOT NULL ORDER BY user LIMIT ?
            ) AS waiting
            """
        ).first([Value(product.provider), .text(product.product), limit]) { Int($0.integer()) } ?? 0
    }

    /// The first fifty products of which the catalog does not say what they open, or how long a rental lasts.
    public func unlistedProducts() throws(EngineError) -> [UnlistedProduct] { try sql.unlistedProducts() }

    /// Whether everybody was told by the catalog of now what their purchases open. Another node may have taken a purchase by
    /// its former catalog since.
    public func isCatalogTold() throws(EngineError) -> Bool {
        let told = try sql.catalog() ?? Catalog().openings
        guard told.hasSameBytes(as: policy.catalog.openings) else { return false }
        return try !unlistedProducts().contains { policy.catalog[$0.product] != nil }
    }

    /// The newest entry of each contract that has no user. Pages on past those whose contract has found its user since, and
    /// past the older ones of the same contract.
    private func unclaimed() throws(EngineError) -> [Entry] {
        // By lineage, store and environment.
        var seen: Set<[String]> = []
        var found: [Entry] = []
        var before = Int64.max
        while found.count < LedgerQueries.attentionLimit {
            // One of the newest 5,000, whose contract has no user. The subquery that counts is never made a join, which could
            // read all contracts.
            let page = try sql.entries(
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
                    """,
                [.integer(before), .integer(LedgerQueries.unclaimedPage)]
            )
            for entry in page {
                let notice = entry.notice
                let name = [notice.contract, notice.provider?.rawValue, notice.environment?.rawValue].compactMap { $0 }
                if name.count == 3, seen.insert(name).inserted { found.append(entry) }
            }
            guard let last = page.last, page.count == Int(LedgerQueries.unclaimedPage) else { break }
            before = last.position
        }
        return Array(found.prefix(LedgerQueries.attentionLimit))
    }

    /// Whether a request with this key was made once, at any node.
    public func hasKey(_ key: IdempotencyKey) throws(EngineError) -> Bool {
        try sql("SELECT 1 FROM broadcast_keys WHERE key = ?").first([.text(key.text)]) { _ in true } ?? false
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

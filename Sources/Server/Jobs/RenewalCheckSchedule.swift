internal import Domain

/// Decides which contracts to ask a store about: those whose period has ended and whose renewal is expected. The store
/// is asked about each one at once, then less and less often, until the ledger has news of it or its leeway is over.
/// Pure.
struct RenewalCheckSchedule {
    private struct Inquiry {
        var questions = 0
        var next: Instant
        var isAnswered = false
    }

    /// More contracts than a store would let us ask about within a leeway.
    private static let limit = 10_000
    private static let backoff = JobBackoff(first: .seconds(2), most: .seconds(60))

    private var inquiries: [ContractKey: Inquiry] = [:]

    /// `expiring` are the contracts whose access outlasts their period at `now`.
    mutating func due(of expiring: [ContractKey], now: Instant) -> [ContractKey] {
        let current = Set(expiring)
        if inquiries.count > RenewalCheckSchedule.limit { inquiries = inquiries.filter { current.contains($0.key) } }
        return expiring.filter { key in inquiries[key].map { $0.next <= now } ?? true }
    }

    mutating func asked(_ key: ContractKey, isAnswered: Bool, now: Instant, notBefore: Instant? = nil, jitter: Double) {
        var inquiry = inquiries[key] ?? Inquiry(next: now)
        inquiry.questions += 1
        inquiry.isAnswered = isAnswered
        let delay = RenewalCheckSchedule.backoff.delay(after: inquiry.questions, jitter: jitter)
        inquiry.next = max(now + delay, notBefore ?? now)
        inquiries[key] = inquiry
    }

    /// Call it when the ledger has ended a contract's access. Returns true if the store was asked and did not confirm
    /// the end.
    mutating func ended(_ lineage: String, at provider: Provider, in environment: StoreEnvironment) -> Bool {
        let keys = inquiries.keys.filter {
            $0.lineage == lineage && $0.provider == provider && $0.environment == environment
        }
        return keys.reduce(false) { isUnconfirmed, key in
            inquiries.removeValue(forKey: key).map { !$0.isAnswered } ?? false || isUnconfirmed
        }
    }
}

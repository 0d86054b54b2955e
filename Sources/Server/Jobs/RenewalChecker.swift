import Domain
import Ledger
import Stores
import Support
import Synchronization

/// Asks a store whether a period that has ended was renewed, before any page says that it was not. Meanwhile the ledger
/// keeps access open for the policy's leeway, and then ends it by itself. Each store has a thread of its own: while one
/// store does not answer, customers of the others keep what they have renewed.
struct RenewalChecker: BackgroundWork {
    private static let roundSize = 1000

    let provider: Provider
    let context: WorkContext
    let apis: StoreAPIs
    let ends: EndedAccessQueue
    let routine = Routine()

    func start() {
        routine.start("ends-\(provider.rawValue)", state: RenewalCheckSchedule()) { state in
            if let lease = context.leaderLease.lease { turn(under: lease, state: &state) }
            return .seconds(1)
        }
    }

    private func turn(under lease: Lease, state: inout RenewalCheckSchedule) {
        let now = context.clock.now()
        let limit = RenewalChecker.roundSize
        let expiring = (try? context.reader.answer { try $0.expiring(of: provider, at: now, limit: limit) }) ?? []
        var silence: StoreAPIError?
        for key in state.due(of: expiring, now: now) where !routine.isHalted && context.leaderLease.lease == lease {
            if let silence {
                failed(key, error: silence, state: &state)
            } else if let error = ask(about: key, under: lease, state: &state), error.concernsTheWholeStore {
                silence = error
            }
        }
        for notice in ends.take(of: provider) {
            guard let environment = notice.environment, let lineage = notice.contract,
                state.ended(lineage, at: provider, in: environment)
            else { continue }
            // The contract's lineage is never logged: Google's is the purchase token. The feed has the entry.
            context.log.warning(
                "access ended unconfirmed",
                fields: ["provider": provider.rawValue, "environment": environment.rawValue]
            )
        }
    }

    private func ask(
        about key: ContractKey,
        under lease: Lease,
        state: inout RenewalCheckSchedule
    ) -> StoreAPIError? {
        let now = context.clock.now()
        do throws(StoreAPIError) {
            let statement = try apis()[provider]?.statement(of: key, now: now)
            let isCommitted = statement.map { context.writer.commit($0, at: now, under: lease) != nil } ?? true
            state.asked(key, isAnswered: isCommitted, now: now, jitter: .random(in: 0..<1))
            context.log.info(
                "asked at a period's end",
                fields: ["provider": key.provider.rawValue, "known": statement != nil]
            )
            return nil
        } catch {
            failed(key, error: error, state: &state)
            context.log.warning(
                "no answer at a period's end",
                fields: [
                    "provider": key.provider.rawValue, "environment": key.environment.rawValue,
                    "reason": error.description,
                ]
            )
            return error
        }
    }

    private func failed(_ key: ContractKey, error: StoreAPIError, state: inout RenewalCheckSchedule) {
        var after: Instant?
        if case .unavailable(_, let comeback) = error { after = comeback }
        let now = context.clock.now()
        let jitter = Double.random(in: 0..<1)
        state.asked(key, isAnswered: false, now: now, notBefore: after, jitter: jitter)
    }
}

/// Passes contracts whose access has ended with time from the ledger's writer to the renewal checker.
final class EndedAccessQueue: Sendable {
    /// An end that finds no room is not logged; nothing else is lost.
    private static let capacity = 10_000

    /// Only stores that the renewal checker has asked about have a list.
    private let notices = Mutex<[Provider: [Notice]]>([:])

    /// Called on the writer's thread, after the commit.
    func committed(_ entries: [Entry]) {
        for entry in entries where entry.notice.kind == .accessEnded {
            guard let provider = entry.notice.provider else { continue }
            notices.withLock { notices in
                guard let count = notices[provider]?.count, count < EndedAccessQueue.capacity else { return }
                notices[provider]?.append(entry.notice)
            }
        }
    }

    /// The ends since the last call.
    func take(of provider: Provider) -> [Notice] {
        notices.withLock { $0.updateValue([], forKey: provider) } ?? []
    }
}

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
    private static let backoff = Backoff(first: .seconds(2), most: .seconds(60))

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

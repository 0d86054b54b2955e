import Domain
import Ledger
import Stores
import Support

/// What the work beside the pipeline needs: both threads of the ledger, the lease under which one of several nodes does
/// it, the time, and the log.
struct WorkContext: Sendable {
    let reader: LedgerReader
    let writer: LedgerWriter
    var leaderLease = LeaderLease.alone
    let clock: Clock
    let log: Log
}

/// Asks the ledger and waits for its answer. Returns nil if the ledger accepts no more questions or cannot answer.
func answer<Value: Sendable>(_ ask: (@escaping LedgerAnswer<Value>) -> Bool) -> Value? {
    let promise = Promise<Value?>()
    return ask { promise.fulfil(try? $0.get()) } ? promise.wait() : nil
}

extension LedgerWriter {
    /// Commits an event that a store's API brought, and waits. Returns nil when the ledger did not accept it. `lease` is nil
    /// for a request that an operator made to this node.
    func commit(_ event: Event, at now: Instant, under lease: Lease?) -> CommitResult? {
        answer { completion in
            let command = LedgerCommand.event(event, receivedAt: now, completion: completion)
            return submit(lease.map { .led(command, under: $0) } ?? command)
        }
    }

    /// Records under the name `mark` how far a reading has come. Returns when that is committed, or cannot be. `lease`
    /// is nil for a request that an operator made to this node.
    func remember(_ instant: Instant, as mark: String, under lease: Lease?) {
        let promise = Promise<Bool>()
        let command = LedgerCommand.saveCheckpoint(mark, instant, completion: promise.fulfil)
        if submit(lease.map { .led(command, under: $0) } ?? command) { _ = promise.wait() }
    }
}

extension StoreAPIError {
    static let ledgerBusy = StoreAPIError.unavailable(reason: "the ledger did not accept it")
}

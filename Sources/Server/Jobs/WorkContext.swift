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

extension LedgerWriter {
    /// Commits an event that a store's API brought, and waits. Returns nil when the ledger did not accept it. `lease` is nil
    /// for a request that an operator made to this node.
    func commit(_ event: Event, at now: Instant, under lease: Lease?) -> CommitResult? {
        let promise = Promise<CommitResult?>()
        let command = LedgerCommand.event(event, receivedAt: now) { promise.fulfil(try? $0.get()) }
        return submit(lease.map { .led(command, under: $0) } ?? command) ? promise.wait() : nil
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

internal import Concurrency
internal import Domain
internal import Ledger

/// Asks the ledger and waits for its answer. Returns nil when the ledger takes no more questions or cannot answer.
func answer<Value: Sendable>(
    _ ask: (@escaping @Sendable (Result<Value, LedgerError>) -> Void) -> Bool
) -> Value? {
    let promise = Promise<Value?>()
    return ask { promise.fulfil(try? $0.get()) } ? promise.wait() : nil
}

extension LedgerWriter {
    /// Records under the name `mark` how far a reading has come. Returns when that is committed, or cannot be.
    func remember(_ instant: Instant, as mark: String) {
        let promise = Promise<Bool>()
        if submit(.saveCheckpoint(mark, instant, completion: promise.fulfil)) { _ = promise.wait() }
    }
}

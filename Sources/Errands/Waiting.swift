internal import Concurrency
internal import Domain
internal import Ledger

/// Asks the ledger, and waits for its answer. Nil when it takes no more questions, or has none.
func answer<Value: Sendable>(
    _ ask: (@escaping @Sendable (Result<Value, LedgerError>) -> Void) -> Bool
) -> Value? {
    let promise = Promise<Value?>()
    return ask { promise.fulfil(try? $0.get()) } ? promise.wait() : nil
}

extension LedgerWriter {
    /// How far somebody has come, by a name; returns when that is committed, or cannot be.
    func remember(_ instant: Instant, as mark: String) {
        let promise = Promise<Bool>()
        if submit(.mark(mark, instant, completion: promise.fulfil)) { _ = promise.wait() }
    }
}

internal import Domain
internal import LedgerInterface

/// Deletes what is too old. Everything else in the ledger stays.
extension LedgerRepository {
    /// The time for which an abandoned job is kept, so that an operator finds its reason, and so that an event that
    /// asks for it again does not start it again. A month is enough, because nothing is tried for longer.
    private static let memoryOfJobs = Duration.seconds(30 * 86_400)
    /// The time for which a key is remembered. A client that retries for longer has involved a person by then.
    static let memoryOfKeys = Duration.seconds(86_400)
    /// The number of keys that are kept within that time: the newest ones, in 200 MB.
    public static let keyLimit: Int64 = 1_000_000

    func forgetJobs(at now: Instant) throws(EngineError) {
        try statements.forgetJobs.run([Value(now - LedgerRepository.memoryOfJobs)])
    }

    /// Deletes a few at a time: many expired keys must not delay the next request.
    func forgetBroadcastKeys(at now: Instant) throws(EngineError) {
        try statements.forgetBroadcastKeys.run([Value(now - LedgerRepository.memoryOfKeys)])
    }

    func forgetBroadcastKeys(beyond limit: Int64) throws(EngineError) {
        try statements.limitBroadcastKeys.run([.integer(limit)])
    }
}

internal import Domain
internal import LedgerInterface

/// What is deleted because it is old: everything else in the ledger stays.
extension LedgerStore {
    /// How long an abandoned job is kept, so that an operator finds its reason, and an event that asks for the same
    /// once more does not begin it again. A month is enough, because nothing is tried for longer.
    private static let memoryOfJobs = Duration.seconds(30 * 86_400)
    /// How long a key is remembered. A client that retries for longer has involved a person by then.
    static let memoryOfKeys = Duration.seconds(86_400)
    /// How many keys are kept, however many come in that time: the newest ones, in 200 MB.
    public static let keyLimit: Int64 = 1_000_000

    func forgetJobs(at now: Instant) throws(EngineError) {
        try statements.forgetJobs.run([Value(now - LedgerStore.memoryOfJobs)])
    }

    /// Deletes a few at a time: many expired keys must not hold up the request that comes next.
    func forgetBroadcastKeys(at now: Instant) throws(EngineError) {
        try statements.forgetBroadcastKeys.run([Value(now - LedgerStore.memoryOfKeys)])
    }

    func forgetBroadcastKeys(beyond limit: Int64) throws(EngineError) {
        try statements.limitBroadcastKeys.run([.integer(limit)])
    }
}

internal import Domain

extension LedgerStore {
    /// How long a key is remembered. A client that retries for longer has involved a person by then.
    static let memoryOfKeys = Duration.seconds(86_400)
    /// How many keys are kept, however many come in that time: the newest ones, in 200 MB.
    static let keyLimit: Int64 = 1_000_000

    /// The key is committed together with its broadcast, so that neither exists without the other.
    func broadcast(
        _ fragments: [Fragment],
        once request: KeyedRequest,
        limit: Int64 = keyLimit,
        now: Instant
    ) throws(SQLiteError) -> Commit<KeyedBroadcast> {
        let expired = now - LedgerStore.memoryOfKeys
        // Forgets a few at a time: many expired keys must not hold up this request.
        try statements.forgetBroadcastKeys.run([Value(expired)])
        let known = try statements.findBroadcastKey.first([.text(request.key.text), Value(expired)]) { row in
            (request: row.text(0), position: row.integer(1), count: row.integer(2))
        }
        if let known {
            guard known.request.hasSameBytes(as: request.digest) else { return Commit(value: .otherRequest) }
            return Commit(value: .repeated((0..<known.count).map { cursor(known.position + $0) }))
        }
        let made = try broadcast(fragments, now: now)
        // Entries of one command have consecutive positions.
        try statements.putBroadcastKey.run([
            .text(request.key.text), .text(request.digest), .integer(made.value.first?.position ?? 0),
            .integer(Int64(fragments.count)), Value(now),
        ])
        try statements.limitBroadcastKeys.run([.integer(connection.lastInsertedRow - limit)])
        return Commit(value: .made(made.value), entries: made.entries)
    }
}

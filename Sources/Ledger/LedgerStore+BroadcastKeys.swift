internal import Domain

extension LedgerStore {
    /// How long a key is remembered: whoever retries for longer has asked a person.
    static let memoryOfKeys = Duration.seconds(86_400)
    /// 200 MB of the newest ones, however many come in that time.
    static let keyLimit: Int64 = 1_000_000

    /// The key is committed together with what it stands for, so that neither is there without the other.
    func broadcast(
        _ fragments: [Fragment],
        once request: KeyedRequest,
        limit: Int64 = keyLimit,
        now: Instant
    ) throws(SQLiteError) -> Commit<KeyedBroadcast> {
        let expired = now - LedgerStore.memoryOfKeys
        // A few at a time: what has gathered must not hold up this one.
        try statements.forgetBroadcastKeys.run([Value(expired)])
        let known = try statements.findBroadcastKey.first([.text(request.key.text), Value(expired)]) { row in
            (request: row.text(0), position: row.integer(1), count: row.integer(2))
        }
        if let known {
            guard known.request.hasSameBytes(as: request.digest) else { return Commit(value: .otherRequest) }
            return Commit(value: .repeated((0..<known.count).map { cursor(known.position + $0) }))
        }
        let made = try broadcast(fragments, now: now)
        // Entries of one command have positions one after the other.
        try statements.putBroadcastKey.run([
            .text(request.key.text), .text(request.digest), .integer(made.value.first?.position ?? 0),
            .integer(Int64(fragments.count)), Value(now),
        ])
        try statements.limitBroadcastKeys.run([.integer(connection.lastInsertedRow - limit)])
        return Commit(value: .made(made.value), entries: made.entries)
    }
}

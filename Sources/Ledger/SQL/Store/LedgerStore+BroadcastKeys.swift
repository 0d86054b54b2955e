public import Domain
public import LedgerInterface
internal import Rules

extension LedgerStore {
    /// The key is committed together with its broadcast, so that neither exists without the other.
    public mutating func broadcast(
        _ fragments: [Fragment],
        once request: KeyedRequest,
        limit: Int64 = keyLimit,
        now: Instant
    ) throws(EngineError) -> Commit<KeyedBroadcast> {
        let expired = try forgetBroadcastKeys(at: now)
        let known = try statements.findBroadcastKey.first([.text(request.key.text), Value(expired)]) { row in
            (request: row.text(0), position: row.integer(1), count: row.integer(2))
        }
        if let known {
            guard known.request.hasSameBytes(as: request.digest) else { return Commit(value: .otherRequest) }
            return Commit(value: .repeated((0..<known.count).map { cursor(known.position + $0) }))
        }
        let made = try decide(at: now) { unit throws(Missing) in try unit.broadcast(fragments) }
        // Entries of one command have consecutive positions.
        try statements.putBroadcastKey.run([
            .text(request.key.text), .text(request.digest), .integer(made.value.first?.position ?? 0),
            .integer(Int64(fragments.count)), Value(now),
        ])
        try forgetBroadcastKeys(beyond: limit)
        return Commit(value: .made(made.value), entries: made.entries)
    }
}

public import Domain
public import LedgerInterface
internal import Rules

/// Results that were committed under a key.
struct MadeBroadcast {
    let request: String
    let position: Int64
    let count: Int64
}

extension LedgerRepository {
    /// The key is committed together with its broadcast, so that neither exists without the other.
    public mutating func broadcast(
        _ fragments: [Fragment],
        once request: KeyedRequest,
        limit: Int64 = keyLimit,
        now: Instant
    ) throws(EngineError) -> Commit<KeyedBroadcast> {
        if broadcasts[request.key.text] == nil {
            broadcasts[request.key.text] = .some(try findBroadcast(request.key, at: now))
        }
        if let known = broadcasts[request.key.text] ?? nil {
            guard known.request.hasSameBytes(as: request.digest) else { return Commit(value: .otherRequest) }
            return Commit(value: .repeated((0..<known.count).map { cursor(known.position + $0) }))
        }
        let made = try decide(at: now) { unit in try unit.broadcast(fragments) }
        // Entries of one command have consecutive positions.
        let new = MadeBroadcast(
            request: request.digest,
            position: made.value.first?.position ?? 0,
            count: Int64(fragments.count)
        )
        broadcasts[request.key.text] = new
        try forgetBroadcastKeys(at: now)
        try statements.putBroadcastKey.run([
            .text(request.key.text), .text(new.request), .integer(new.position), .integer(new.count), Value(now),
        ])
        try forgetBroadcastKeys(beyond: limit)
        return Commit(value: .made(made.value), entries: made.entries)
    }

    func findBroadcast(_ key: IdempotencyKey, at now: Instant) throws(EngineError) -> MadeBroadcast? {
        try statements.findBroadcastKey.first([.text(key.text), Value(now - LedgerRepository.memoryOfKeys)]) { row in
            MadeBroadcast(request: row.text(0), position: row.integer(1), count: row.integer(2))
        }
    }
}

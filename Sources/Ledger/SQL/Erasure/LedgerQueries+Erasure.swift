internal import Domain
internal import LedgerInterface
internal import Rules

extension LedgerQueries {
    /// The position at which the user of a stream was erased; nil for any other stream.
    func erasure(of stream: StreamName) throws(EngineError) -> Int64? {
        guard let user = streams.user(of: stream) else { return nil }
        return try statements.tombstone.first([.text(erasureKey.digest(of: .user(user)))]) { row in row.integer(0) }
    }
}

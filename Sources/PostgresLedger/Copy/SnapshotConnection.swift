internal import Domain
internal import Ledger

/// A connection that reads many small snapshots from one, so that the questions about a page of users are asked at
/// once.
final class SnapshotConnection: LedgerConnection {
    private let connection: any LedgerConnection
    private var position: Int64 = 0

    init(_ connection: any LedgerConnection) {
        self.connection = connection
    }

    /// Runs `body` until it asks nothing new, the last time with all answers at hand. Throws if the snapshot was lost
    /// before, because `body` keeps its failures to itself.
    func inOneSnapshot(_ body: () -> Void) throws(EngineError) {
        position = try connection.beginReading()
        while try connection.readAhead(body) {}
        body()
        guard connection.isInTransaction else {
            throw EngineError(.unusable, code: "ledger error", message: "the connection was lost: try again", sql: "")
        }
        _ = try connection.prepare("SELECT 1").first { row in row.integer(0) }
        try connection.endReading()
    }

    func prepare(_ sql: String) throws(EngineError) -> Statement { try connection.prepare(sql) }
    func beginReading() throws(EngineError) -> Int64 { position }
    func endReading() throws(EngineError) {}
    func head() throws(EngineError) -> Int64 { position }
    func begin() throws(EngineError) { try connection.begin() }
    func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError) {
        try connection.commit(head: head, entriesAt: instant)
    }
    func rollback() throws(EngineError) { try connection.rollback() }
    var isInTransaction: Bool { connection.isInTransaction }
}

public import Domain
public import LedgerInterface

/// The reader's connection and its questions. Each question is answered from one snapshot of the ledger.
public struct LedgerQueries {
    private let connection: any LedgerConnection
    let statements: ReaderStatements
    private(set) var policy: AccessPolicy
    let streams: StreamPattern
    let epoch: String
    let erasureKey: ErasureKey

    public init(
        _ connection: any LedgerConnection,
        epoch: String,
        policy: AccessPolicy,
        streams: StreamPattern
    ) throws(EngineError) {
        self.connection = connection
        statements = try ReaderStatements(connection)
        erasureKey = try ErasureKey(statements.erasureKey)
        self.epoch = epoch
        self.policy = policy
        self.streams = streams
    }

    /// Questions from now on are answered by this policy.
    public mutating func adopt(_ policy: AccessPolicy) {
        self.policy = policy
    }

    public func head() throws(LedgerError) -> Cursor {
        try snapshot { head throws(EngineError) in head }
    }

    func snapshot<Answer>(_ read: (Cursor) throws(EngineError) -> Answer) throws(LedgerError) -> Answer {
        do throws(EngineError) {
            let head = Cursor(epoch: epoch, position: try connection.beginReading())
            let answer = try read(head)
            try connection.endReading()
            return answer
        } catch {
            try? connection.endReading()
            throw LedgerError(error)
        }
    }
}

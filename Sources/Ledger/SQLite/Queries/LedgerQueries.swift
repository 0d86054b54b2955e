public import Domain
public import LedgerInterface

/// The reader's connection and its questions. Each question is answered from one snapshot of the ledger.
public struct LedgerQueries: ~Copyable {
    private let connection: SQLiteConnection
    let statements: ReaderStatements
    private(set) var policy: AccessPolicy
    let streams: StreamPattern
    let epoch: String

    public init(path: String, policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) {
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path, access: .readOnly, lockTimeout: .seconds(2))
            let statements = try ReaderStatements(connection)
            epoch = try statements.epoch.first { row in row.text(0) } ?? ""
            self.statements = statements
            self.connection = connection
        } catch {
            throw error.isBusy ? .busy : .cannotOpen(path: path, reason: error.message)
        }
        self.policy = policy
        self.streams = streams
    }

    /// Questions from now on are answered by this policy.
    public mutating func adopt(_ policy: AccessPolicy) {
        self.policy = policy
    }

    public func head() throws(LedgerError) -> Cursor {
        try snapshot { head throws(SQLiteError) in head }
    }

    func snapshot<Answer>(_ read: (Cursor) throws(SQLiteError) -> Answer) throws(LedgerError) -> Answer {
        do throws(SQLiteError) {
            try statements.begin.run()
            // The first read fixes the snapshot, so the position and what is read after it belong to the same moment.
            let head = Cursor(epoch: epoch, position: try statements.head.first { row in row.integer(0) } ?? 0)
            let answer = try read(head)
            try statements.commit.run()
            return answer
        } catch {
            if connection.isInTransaction { try? statements.commit.run() }
            throw LedgerError(error)
        }
    }
}

import Domain
import TestSupport
import Testing

@testable import Ledger

@Suite(.timeLimit(.minutes(1))) struct SchemaTests {
    @Test func newerSchemaIsRefused() throws {
        let ledger = try TemporaryLedger()
        ledger.close()
        let connection = try Connection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("PRAGMA user_version = 99")
        #expect(throws: LedgerError.newerSchema(found: 99, supported: Schema.newest)) {
            try TemporaryLedger(at: ledger.path)
        }
        ledger.remove()
    }

    @Test func migrationRunsOnce() throws {
        let ledger = try TemporaryLedger()
        ledger.close()
        let connection = try Connection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try Schema.migrate(connection)
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        let version = try connection.prepare("PRAGMA user_version").first { row in row.integer(0) }
        #expect(version == Schema.newest)
        ledger.remove()
    }

    @Test func folderThatDoesNotExistIsNamed() {
        #expect(throws: LedgerError.self) { try TemporaryLedger(at: "/nowhere/ledger.db") }
    }

    /// A million events must not make any statement slower: every one finds its rows by an index.
    @Test func noStatementScansATable() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let connection = try Connection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        let statements = (try WriterStatements(connection), try ReaderStatements(connection))
        let texts = withExtendedLifetime(statements) { connection.preparedTexts }
        #expect(texts.count > 30)
        for text in texts where ["SELECT", "UPDATE", "INSERT"].contains(where: text.hasPrefix) {
            let plan = try connection.prepare("EXPLAIN QUERY PLAN " + text).all { row in row.text(3) }
            #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(text): \(plan)")
        }
    }
}

import Domain
import Ledger
import Support
import TestSupport
import Testing

@Suite(.blocking) struct LedgerReaderTests {
    /// A disk that does not answer holds one question, and not whoever asks the next.
    @Test func nobodyWaitsLongerThanTheLimit() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let reader = ledger.reader
        let disk = Promise<Void>()
        let isTaken = reader.ask({ _ in disk.wait() }, { _ in })
        #expect(isTaken)
        #expect(throws: LedgerError.busy) { try reader.answer(within: .milliseconds(20)) { try $0.head() } }
        disk.fulfil(())
        #expect(try reader.answer(within: .seconds(30)) { try $0.head().position } == 0)
    }
}

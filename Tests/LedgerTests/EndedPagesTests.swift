import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Whose open pages were ended, in both engines.
@Suite struct EndedPagesTests {
    private func end(_ user: UserID, in ledger: TemporaryLedger) throws -> Cursor {
        try ledger.commit { .endPages(of: user, completion: $0) }
    }

    private func ended(in ledger: TemporaryLedger) throws -> [UserID: Int64] {
        let endings = try ledger.reader.answer { try $0.endedPages() }
        return Dictionary(endings.map { ($0.user, $0.position) }) { _, _ in -1 }
    }

    @Test func theLastTimeCounts() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ended(in: ledger).isEmpty)
        let positions = try ["42", "43", "42"].map { try end($0, in: ledger).position }
        #expect(positions == [1, 2, 3])
        #expect(try ended(in: ledger) == ["42": 3, "43": 2])
        let entries = try ledger.reader.answer { try $0.entries(after: 0, limit: 10) }.entries
        #expect(entries.map(\.notice.kind) == [.pagesEnded, .pagesEnded, .pagesEnded])
        #expect(entries.map(\.notice.user) == ["42", "43", "42"])
    }

    @Test func anErasureForgetsIt() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for user in ["42", "43"] as [UserID] { _ = try end(user, in: ledger) }
        try ledger.erase("42")
        #expect(try ended(in: ledger) == ["43": 2])
        // Nor is the name written down again.
        _ = try end("42", in: ledger)
        #expect(try ended(in: ledger) == ["43": 2])
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsAnother(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try end(UserID(pair.one), in: ledger)
        #expect(try ended(in: ledger) == [UserID(pair.one): 1])
        #expect(try ended(in: ledger)[UserID(pair.other)] == nil)
    }
}

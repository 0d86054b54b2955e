import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Whose open pages were ended, in both engines.
@Suite struct EndedPagesTests {
    private func end(_ user: UserID, in ledger: TemporaryLedger) throws -> EndedPagesResult {
        try ledger.commit { .endPages(of: user, completion: $0) }
    }

    /// Of each of the users, when their pages were ended last: what a node reads at its start, and what names are signed after.
    private func ended(_ users: UserID..., in ledger: TemporaryLedger) throws -> [Int64] {
        try ledger.reader.answer { queries in
            let all = try queries.endedPages()
            let last = try users.map { try queries.ending(of: $0) }
            #expect(last == users.map { all.last(of: $0) })
            #expect(all.isEmpty || last.contains { $0 > 0 })
            return last
        }
    }

    @Test func theLastTimeCounts() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ended("42", in: ledger) == [0])
        let results = try (["42", "43", "42"] as [UserID]).map { try end($0, in: ledger) }
        #expect(results.map(\.since.position) == [1, 2, 3])
        #expect(results.map(\.ending?.user) == ["42", "43", "42"])
        #expect(try ended("42", "43", "44", in: ledger) == [3, 2, 0])
        let entries = try ledger.reader.answer { try $0.entries(after: 0, limit: 10) }.entries
        #expect(entries.map(\.notice.kind) == [.pagesEnded, .pagesEnded, .pagesEnded])
        #expect(entries.map(\.notice.user) == ["42", "43", "42"])
    }

    /// Names that were signed before must not come back with the user, who is nowhere named meanwhile.
    @Test func anErasureForgetsTheUserAndNotTheEnding() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for user in [ErasureTests.user, "43"] { _ = try end(user, in: ledger) }
        try ledger.erase(ErasureTests.user)
        #expect(try ErasureTests.traces(in: ledger) == [])
        #expect(try ended(ErasureTests.user, "43", in: ledger) == [1, 2])
        // Nobody else would hear of one that is not committed.
        let again = try end(ErasureTests.user, in: ledger)
        #expect(again.ending == nil && again.since.position == 3)
        #expect(try ErasureTests.traces(in: ledger) == [])
        let order = try ledger.order(OrderRequest(user: ErasureTests.user, product: "monthly"))
        #expect(order.ending == 1)
        #expect(try end(ErasureTests.user, in: ledger).ending?.position == 4)
        #expect(try ended(ErasureTests.user, "43", in: ledger) == [4, 2])
    }

    /// As of the moment at which it is placed, whatever came before it in the same transaction.
    @Test func anOrderSaysTheLastEnding() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let request = OrderRequest(user: "42", product: "monthly")
        #expect(try ledger.order(request).ending == 0)
        let endings = (0..<8).map { _ in Promise<Result<EndedPagesResult, LedgerError>>() }
        let orders = (0..<8).map { _ in Promise<Result<OrderResult, OrderError>>() }
        for (ending, order) in zip(endings, orders) {
            #expect(ledger.writer.submit(.endPages(of: "42", completion: ending.fulfil)))
            #expect(ledger.writer.submit(.order(request, completion: order.fulfil)))
        }
        let committed = try endings.map { try $0.wait().get().ending?.position }
        #expect(try orders.map { try $0.wait().get().ending } == committed)
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsAnother(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try end(UserID(pair.one), in: ledger)
        #expect(try ended(UserID(pair.one), UserID(pair.other), in: ledger) == [1, 0])
    }
}

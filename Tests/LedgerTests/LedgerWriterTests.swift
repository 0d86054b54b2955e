import Domain
import Runtime
import TestSupport
import Testing

@testable import Ledger

@Suite(.timeLimit(.minutes(1))) struct LedgerWriterTests {
    @Test func purchaseCommitsAnEntryWithItsFragments() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "monthly", provider: .apple))
        let receipt = try ledger.send(Stories.subscription("e1", .active, token: placed.order.token))
        #expect(receipt.outcome == .applied)
        let entry = try #require(try ledger.entries().entries.first)
        #expect(ledger.committed.all == [entry])
        #expect(receipt.cursor == Cursor(epoch: ledger.writer.epoch, position: entry.position))
        #expect(entry.fragments.summary == ["paywall=success", "subscription_status=manage"])
        #expect(entry.notice.user == "42")
        #expect(entry.notice.active == true)
        #expect(try ledger.replay("42", since: placed.since).items.map(\.fragments) == [entry.fragments])
    }
}

import Domain
import Simulator
import TestSupport
import Testing

@testable import Ledger

/// Every row of payments.md table 9.5 at every store: from a body in the store's wire format, through its verifier and
/// the ledger, to what pages get.
@Suite(.timeLimit(.minutes(10))) struct MappingTests {
    @Test(arguments: TableCase.all)
    func means(_ row: TableCase) throws {
        let scene = try TableScene(row)
        for said in row.before { try scene.say(said) }
        let heard = try scene.say(row.said)
        #expect(heard.notice.kind == row.kind)
        #expect(heard.notice.state == row.state)
        #expect(heard.held.isActive == row.isOpen)
        #expect(heard.fragments == row.fragments)
        // So that a template can say that access is restored, or provisional, and why it ended.
        #expect(heard.shown.allSatisfy { $0["event"] == row.kind.rawValue })
        if let word = row.word {
            #expect(heard.notice.subtype == word)
            #expect(heard.shown.allSatisfy { $0["reason"] == word })
        }
        let end = heard.notice.accessUntil
        switch row.end {
        case .none: #expect(end == nil)
        case .day(let day, let seconds): #expect(end == TableScene.start + .seconds(day * 86_400) + seconds)
        case .inDays(let days): #expect(end == scene.now + .seconds(days * 86_400))
        case .over: #expect(try #require(end) <= scene.now + .seconds(1))
        }
        // The public answer says the same, and whose purchase it is.
        guard let held = heard.held.entitlements.first(where: { $0.contract == heard.notice.contract }) else { return }
        #expect((held.state, held.accessUntil) == (heard.notice.state, end))
        #expect(held.isFamilyShared == (row.row == 33 || row.row == 34))
    }

    /// Row 3 at Apple, Ask to Buy: Apple says nothing of it, so that the page stays as it is until the family's
    /// organizer has agreed.
    @Test func appleIsSilentWhileAPurchaseWaits() throws {
        let row = TableCase.startRows[0]
        let scene = try TableScene(row)
        #expect(try scene.ledger.entries().entries.flatMap(\.fragments).isEmpty)
        #expect(try scene.ledger.entitlements(TableScene.buyer).entitlements.isEmpty)
        #expect(try scene.say(row.said).fragments == .granted)
    }

    /// Row 27: a consumable is handed over once for each transaction, as often as it is said.
    @Test func consumableIsHandedOverOnce() throws {
        let row = try #require(TableCase.purchaseRows.first { !$0.said.bends.isEmpty })
        let scene = try TableScene(row)
        for _ in 0..<3 { try scene.say(row.said) }
        let fragments = try scene.ledger.entries().entries.flatMap(\.fragments)
        #expect(fragments.summary == ["paywall=success"])
        guard case .template(_, let values)? = fragments.first?.content else { throw LedgerError.busy }
        #expect(values["quantity"] == "3")
        #expect(try scene.ledger.entitlements(TableScene.buyer).entitlements.map(\.quantity) == [3])
        #expect(try scene.say("REFUND").held.entitlements.map(\.state) == [.revoked])
    }

    @Test func everyEventOfTheTableHasACase() {
        #expect(TableOfEvents.rows.map(\.number) == Array(1...42))
        let tested = Set(TableCase.all.map { "row \($0.row), \($0.provider): \($0.said.words)" })
        let named = TableOfEvents.rows.flatMap { row in
            row.words.flatMap { provider, words in
                words.filter { !$0.hasPrefix("(") }.map { "row \(row.number), \(provider): \($0)" }
            }
        }
        #expect(Set(named).subtracting(tested).isEmpty)
    }
}

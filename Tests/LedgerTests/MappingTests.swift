import Domain
import Ledger
import Simulator
import TestSupport
import Testing

/// Every row of `TableOfEvents` at every store: from a body in the store's wire format, through its verifier and
/// the ledger, to what pages get.
@Suite(.blocking) struct MappingTests {
    @Test(arguments: TableCase.all) func means(_ row: TableCase) throws {
        try check(row, in: TableScenario(row))
    }

    @Test(arguments: TableCase.all.filter { $0.provider == .stripe })
    func meansTheSameInOlderVersionsOfStripe(_ row: TableCase) throws {
        try check(row, in: TableScenario(row, shape: .before2025))
    }

    private func check(_ row: TableCase, in scenario: TableScenario) throws {
        for statement in row.before { try scenario.deliver(statement) }
        let effect = try scenario.deliver(row.statement)
        #expect(effect.notice.kind == row.kind)
        #expect(effect.notice.state == row.state)
        #expect(effect.held.isActive == row.isOpen)
        #expect(effect.fragments == row.fragments)
        // So that a template can say that access is restored, or provisional, and why it ended.
        #expect(effect.shown.allSatisfy { $0["event"] == row.kind.rawValue })
        // Google gives reasons only where the table names one.
        if row.provider == .google { #expect(effect.notice.subtype == row.word) }
        if let word = row.word {
            #expect(effect.notice.subtype == word)
            #expect(effect.shown.allSatisfy { $0["reason"] == word })
        }
        let end = effect.notice.accessUntil
        switch row.end {
        case .none: #expect(end == nil)
        case .day(let day, let seconds): #expect(end == TableScenario.start + .seconds(day * 86_400) + seconds)
        case .inDays(let days): #expect(end == scenario.now + .seconds(days * 86_400))
        case .over: #expect(try #require(end) <= scenario.now + .seconds(1))
        }
        // So does the feed. Where everything of the buyer moves, its last entry is the other user's.
        if row.row != 35, let told = effect.told { #expect(told == effect.held.entitlements.map(\.summary)) }
        // The public answer says the same, and whose purchase it is.
        guard let held = effect.held.contracts.first(where: { $0.contract == effect.notice.contract }) else {
            return
        }
        #expect((held.state, held.accessUntil, held.product) == (effect.notice.state, end, row.product))
        #expect(held.isFamilyShared == (row.row == 33 || row.row == 34))
        #expect(held.trialEndsAt == (row.isTrial ? end : nil))
        #expect(effect.shown.allSatisfy { $0["trial"] == "\(row.isTrial)" })
    }

    /// Row 3 at Apple, Ask to Buy: Apple says nothing of it, so that the page stays as it is until the family's
    /// organizer has agreed.
    @Test func appleIsSilentWhileAPurchaseWaits() throws {
        let row = TableCase.startRows[0]
        let scenario = try TableScenario(row)
        #expect(try scenario.ledger.entries().entries.flatMap(\.fragments).isEmpty)
        #expect(try scenario.ledger.entitlements(TableScenario.buyer).contracts.isEmpty)
        #expect(try scenario.deliver(row.statement).fragments == .granted)
    }

    /// Row 27: a consumable is delivered once for each transaction, however often the store reports it.
    @Test func consumableIsHandedOverOnce() throws {
        let row = try #require(TableCase.purchaseRows.first { !$0.statement.edits.isEmpty })
        let scenario = try TableScenario(row)
        for _ in 0..<3 { try scenario.deliver(row.statement) }
        let fragments = try scenario.ledger.entries().entries.flatMap(\.fragments)
        #expect(fragments.summary == ["purchase=purchase"])
        guard case .template(_, let values)? = fragments.first?.content else { throw LedgerError.busy }
        #expect(values["quantity"] == "3")
        #expect(try scenario.ledger.entitlements(TableScenario.buyer).contracts.map(\.quantity) == [3])
        #expect(try scenario.deliver("REFUND").held.contracts.map(\.state) == [.revoked])
    }

    @Test func everyEventOfTheTableHasACase() {
        #expect(TableOfEvents.rows.map(\.number) == Array(1...43))
        let tested = Set(TableCase.all.map { "row \($0.row), \($0.provider): \($0.statement.words)" })
        let named = TableOfEvents.rows.flatMap { row in
            row.words.flatMap { provider, words in
                words.filter { !$0.hasPrefix("(") }.map { "row \(row.number), \(provider): \($0)" }
            }
        }
        #expect(Set(named).subtracting(tested).isEmpty)
    }
}

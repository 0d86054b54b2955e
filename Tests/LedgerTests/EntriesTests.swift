import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// The pages that the feed reads.
@Suite(.blocking) struct EntriesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let selection: EntrySelection
        let events: [String]
    }

    static let cases = [
        Case(testDescription: "all", selection: .all, events: ["e1", "e2", "e3", "e4"]),
        Case(testDescription: "a user", selection: EntrySelection(user: "42"), events: ["e1", "e3"]),
        Case(testDescription: "nobody", selection: EntrySelection(user: "4"), events: []),
        Case(
            testDescription: "a store",
            selection: EntrySelection(provider: "apple"),
            events: ["e1", "e2", "e3", "e4"]
        ),
        Case(testDescription: "another store", selection: EntrySelection(provider: "stripe"), events: []),
        Case(
            testDescription: "a product",
            selection: EntrySelection(user: "43", product: "monthly"),
            events: ["e2"]
        ),
        Case(testDescription: "another product", selection: EntrySelection(product: "pro"), events: []),
        Case(testDescription: "an outcome", selection: EntrySelection(outcome: "unclaimed"), events: ["e4"]),
        Case(
            testDescription: "a user and an outcome",
            selection: EntrySelection(user: "42", outcome: "unclaimed"),
            events: []
        ),
    ]

    @Test(arguments: cases) func areSelected(_ example: Case) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        try fill(ledger)
        let page = try ledger.entries(example.selection)
        #expect(page.entries.compactMap(\.notice.event) == example.events)
        #expect(page.isWhole && page.through == page.head.position)
    }

    /// Reading on from `through` returns nothing twice.
    @Test(arguments: [EntrySelection.all, EntrySelection(user: "42")])
    func arePaged(_ selection: EntrySelection) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        try fill(ledger)
        let all = try ledger.entries(selection)
        var (found, position): ([Entry], Int64) = ([], 0)
        for _ in 0..<100 where position < all.through {
            let page = try ledger.entries(selection, after: position, limit: 1)
            #expect(page.through > position)
            found = found + page.entries
            position = page.through
        }
        #expect(found == all.entries)
    }

    /// A search through all entries keeps nobody else waiting, and a user's entries are found at once, wherever they
    /// are.
    @Test func oneQuestionLooksAtABoundedPart() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let stream = try #require(StreamPattern.standard.stream(for: "7"))
        let fragment = Fragment(stream: stream, action: "append", target: "a", content: .html("<i></i>"))
        for _ in 0..<21 { _ = try ledger.broadcast(Array(repeating: fragment, count: 1000)) }
        try fill(ledger)
        let first = try ledger.entries(EntrySelection(provider: "apple"))
        #expect(first.entries.isEmpty && first.through == LedgerQueries.entriesOfAQuestion && !first.isWhole)
        let second = try ledger.entries(EntrySelection(provider: "apple"), after: first.through)
        #expect(second.entries.count == 4 && second.isWhole)
        let user = try ledger.entries(EntrySelection(user: "42"))
        #expect(user.entries.compactMap(\.notice.event) == ["e1", "e3"] && user.isWhole)
        #expect(user.entries.allSatisfy { !$0.fragments.isEmpty })
    }

    @Test func cursorFromTheFutureFindsNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        try fill(ledger)
        let page = try ledger.entries(after: .max)
        #expect(page.entries.isEmpty && page.isWhole)
    }

    /// Whatever an event is about, its entry says what the user has of each entitlement afterwards, and an erasure takes it.
    @Test func sayWhatTheUserHasAfterwards() throws {
        let (pro, maps) = (EntitlementName("pro") ?? .standard, EntitlementName("maps") ?? .standard)
        let catalog = Catalog(
            ["monthly": .init(entitlements: [pro]), "atlas": .init(entitlements: [maps])],
            entitlements: [pro, maps]
        )
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([]), catalog: catalog))
        defer { ledger.remove() }
        let user = Claim(user: "42")
        _ = try ledger.send(Fixture.purchase("e1", kind: .nonConsumable, product: "atlas"), claim: user)
        _ = try ledger.send(Fixture.subscription("e2", state: .inGracePeriod, minute: 1), claim: user)
        _ = try ledger.send(Fixture.purchase("e3", kind: .consumable, product: "coins", minute: 2), claim: user)
        let entries = try ledger.entries().entries
        #expect(entries.map(\.notice) == ledger.committed.all.map(\.notice))
        let told = entries.map { entry in
            (entry.notice.entitlements ?? []).map { "\($0.name) \($0.isActive) \($0.state?.rawValue ?? "")" }
        }
        let both = ["pro true in_grace_period", "maps true owned"]
        #expect(told == [["pro false ", "maps true owned"], both, both])
        #expect(entries.map(\.notice.active) == [false, true, true])
        #expect(entries.last?.notice.entitlements == (try ledger.entitlements("42").entitlements.map(\.summary)))
        try ledger.erase("42")
        #expect(try ledger.entries().entries.allSatisfy { $0.notice.entitlements == nil })
    }

    private func fill(_ ledger: TemporaryLedger) throws {
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        _ = try ledger.send(Fixture.subscription("e2", state: .active, key: Fixture.key("2")), claim: Claim(user: "43"))
        _ = try ledger.send(Fixture.subscription("e3", state: .cancelled, minute: 1))
        _ = try ledger.send(Fixture.subscription("e4", state: .active, key: Fixture.key("3")))
    }
}

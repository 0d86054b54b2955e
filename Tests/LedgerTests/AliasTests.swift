import Domain
import Ledger
import TestSupport
import Testing

/// What was bought under an id that the store made up belongs to the user whom the store names later.
@Suite(.blocking) struct AliasTests {
    static let anonymous: UserID = "$RCAnonymousID:1"

    /// What RevenueCat says, in the order in which it happens; `minute` is when.
    enum Said: Sendable {
        case bought(by: UserID?, minute: Int64, lineage: String, account: UserID = anonymous)
        case alias(UserID, minute: Int64)
        case transfer(from: [UserID], to: UserID, minute: Int64)

        func event(_ id: String) -> Event {
            switch self {
            case .bought(let user, let minute, let lineage, let account):
                let key = Fixture.key(lineage, provider: .revenuecat)
                var event = Fixture.subscription(id, state: .active, minute: minute, group: nil, key: key)
                event.observation?.user = user
                event.observation?.account = account.text
                if let user { event.transfer = Transfer(from: [account], to: user, isAlias: true) }
                return event
            case .alias(let user, let minute):
                return Said.event(id, minute: minute, Transfer(from: [anonymous], to: user, isAlias: true))
            case .transfer(let from, let user, let minute):
                return Said.event(id, minute: minute, Transfer(from: from, to: user))
            }
        }

        private static func event(_ id: String, minute: Int64, _ transfer: Transfer) -> Event {
            var event = Fixture.event(id, kind: .contractUpdated, observation: nil)
            event.provider = .revenuecat
            event.signedAt = Fixture.now + .seconds(60 * minute)
            event.transfer = transfer
            return event
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var said: [Said]
        /// User → lineages.
        var held: [UserID: [String]]
    }

    private static let bought = Said.bought(by: nil, minute: 0, lineage: "1")

    static let cases = [
        Case(testDescription: "the buyer signs in", said: [bought, .alias("a", minute: 5)], held: ["a": ["1"]]),
        Case(
            testDescription: "the alias is older than the purchase",
            said: [.alias("a", minute: -5), bought],
            held: ["a": ["1"]]
        ),
        Case(
            testDescription: "the newest word counts",
            said: [bought, .alias("a", minute: 5), .alias("b", minute: 6)],
            held: ["a": [], "b": ["1"]]
        ),
        Case(
            testDescription: "what is repeated is not news",
            said: [bought, .alias("a", minute: 5), .alias("b", minute: 6), .alias("a", minute: 5)],
            held: ["a": [], "b": ["1"]]
        ),
        Case(
            testDescription: "another purchase tells who it is",
            said: [bought, .bought(by: "a", minute: 3, lineage: "2", account: anonymous)],
            held: ["a": ["1", "2"]]
        ),
        Case(
            testDescription: "what was transferred since stays, though the alias is repeated",
            said: [
                bought, .alias("a", minute: 5), .transfer(from: ["a"], to: "b", minute: 8),
                .bought(by: "a", minute: 10, lineage: "2"),
            ],
            held: ["a": ["2"], "b": ["1"]]
        ),
        Case(
            testDescription: "a transfer names the made-up id, too",
            said: [bought, .transfer(from: [anonymous, "a"], to: "b", minute: 5)],
            held: ["a": [], "b": ["1"]]
        ),
        Case(
            testDescription: "moved back to a made-up id",
            said: [
                .bought(by: "b", minute: 0, lineage: "1"), .transfer(from: ["b"], to: "$RCAnonymousID:2", minute: 4),
                .bought(by: "a", minute: 5, lineage: "2", account: "$RCAnonymousID:2"),
            ],
            held: ["a": ["1", "2"], "b": []]
        ),
        Case(testDescription: "nobody signs in", said: [bought], held: ["a": []]),
    ]

    @Test(arguments: cases) func ownerDoesNotDependOnTheOrder(_ given: Case) throws {
        let events = given.said.enumerated().map { $1.event("e\($0)") }
        for order in permutations(Array(events.indices)) {
            let ledger = try TemporaryLedger()
            defer { ledger.remove() }
            for index in order { _ = try ledger.send(events[index]) }
            for index in order { #expect(try ledger.send(events[index]).outcome == .duplicate) }
            for (user, lineages) in given.held {
                #expect(try ledger.entitlements(user).contracts.map(\.contract).sorted() == lineages, "\(order)")
            }
            #expect(try ledger.entitlements(Self.anonymous).contracts.isEmpty)
        }
    }

    @Test func pageIsToldWhenTheBuyerSignsIn() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ledger.send(Self.bought.event("e1")).outcome == .unclaimed)
        #expect(try ledger.send(Said.alias("a", minute: 5).event("e2")).outcome == .applied)
        let entry = try #require(try ledger.entries().entries.last)
        #expect(entry.notice.user == "a" && entry.notice.event == "e2")
        #expect(entry.fragments.summary == ["paywall=success", "subscription_status=manage"])
        #expect(try ledger.send(Said.alias("a", minute: 6).event("e3")).outcome == .ignored)
    }

    /// A person is the same in the Sandbox.
    @Test func aliasOfNoPurchaseCountsEverywhere() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var sandbox = Self.bought.event("e1")
        sandbox.environment = .sandbox
        sandbox.observation?.contract.environment = .sandbox
        _ = try ledger.send(sandbox)
        var alias = Said.alias("a", minute: 5).event("e2")
        alias.transfer?.isEverywhere = true
        #expect(try ledger.send(alias).outcome == .applied)
        #expect(try ledger.entitlements("a").contracts.map(\.contract) == ["1"])
    }

    /// The user through whom it went is erased; it stays with the one who has it.
    @Test func erasureKeepsWhatAnotherHas() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let said: [Said] = [Self.bought, .alias("a", minute: 5), .transfer(from: ["a"], to: "b", minute: 8)]
        for (index, said) in said.enumerated() { _ = try ledger.send(said.event("e\(index)")) }
        _ = try ledger.erase("a")
        #expect(try ledger.entitlements("b").contracts.map(\.contract) == ["1"])
        _ = try ledger.send(Said.bought(by: nil, minute: 9, lineage: "1").event("e9"))
        #expect(try ledger.entitlements("b").contracts.map(\.contract) == ["1"])
    }
}

private func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
}

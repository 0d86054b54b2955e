import Stores
import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Grants beside what stores say: contracts like theirs, in both engines.
@Suite struct GrantRulesTests {
    private static let start = TemporaryLedger.start
    private static let user: UserID = "42"

    private func grant(_ id: String, for term: Duration?, product: String = "pro", at instant: Instant = start) -> Grant
    {
        var grant = Grant(id: id, user: Self.user, product: product, grantedAt: instant, reason: "ticket 7")
        grant.until = term.map { instant + $0 }
        return grant
    }

    private func give(_ grant: Grant, in ledger: TemporaryLedger) throws -> CommitResult {
        try ledger.send(grant.event, claim: Claim(user: grant.user))
    }

    private func take(_ grant: Grant, at instant: Instant, in ledger: TemporaryLedger) throws -> CommitResult {
        try ledger.send(grant.revoked(at: instant, reason: "a mistake").event)
    }

    private func shown(_ ledger: TemporaryLedger) throws -> [String] {
        try ledger.missed(Self.user).items.flatMap(\.fragments).map(\.content).compactMap { content in
            guard case .template(let name, let values) = content else { return nil }
            return "\(name) \(values["provider"] ?? "")"
        }
    }

    @Test func aPageTurnsAndTurnsBack() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let month = grant("1", for: .seconds(30 * 86_400))
        #expect(try give(month, in: ledger).outcome == .applied)
        #expect(try shown(ledger) == ["success paycast", "ending paycast"])
        #expect(try ledger.entitlements(Self.user).isActive)
        #expect(try take(month, at: Self.start + .seconds(60), in: ledger).outcome == .applied)
        #expect(try shown(ledger) == ["revoked paycast", "revoked paycast"])
        #expect(try !ledger.entitlements(Self.user).isActive)
        #expect(try take(month, at: Self.start + .seconds(90), in: ledger).outcome == .duplicate)
        #expect(try give(month, in: ledger).outcome == .duplicate)
        #expect(try !ledger.entitlements(Self.user).isActive, "what is granted again was granted before")
    }

    /// No store announces the end, and nobody is asked about it.
    @Test func endsByItself() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try give(grant("1", for: .seconds(86_400)), in: ledger)
        try ledger.setClock(to: Self.start + .seconds(86_401))
        #expect(try shown(ledger) == ["paywall paycast", "paywall paycast"])
        let entry = try #require(try ledger.entries().entries.last { $0.notice.user == Self.user })
        #expect(entry.notice.kind == .accessEnded && entry.notice.active == false)
    }

    struct Both: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the store says of its subscription, and for how long.
        var state: ContractState
        var reach: Duration
        var product = "monthly"
        /// For how long the grant is.
        var term: Duration?
        var catalog = Catalog()
        /// Both elements with both, and once the grant is taken back.
        var shown: [String]
        var afterwards: [String]
    }

    /// The best of both, as with two stores; what the store says stays.
    @Test(arguments: [
        Both(
            testDescription: "the subscription lasts longer",
            state: .active,
            reach: .seconds(30 * 86_400),
            term: .seconds(3 * 86_400),
            shown: ["manage apple", "success paycast"],
            afterwards: ["manage apple", "manage apple"]
        ),
        Both(
            testDescription: "the grant lasts longer, and the subscription renews",
            state: .active,
            reach: .seconds(30 * 86_400),
            term: .seconds(60 * 86_400),
            shown: ["manage apple", "success paycast"],
            afterwards: ["manage apple", "manage apple"]
        ),
        Both(
            testDescription: "the grant lasts longer, and the subscription ends",
            state: .cancelled,
            reach: .seconds(30 * 86_400),
            term: .seconds(60 * 86_400),
            shown: ["success paycast", "ending paycast"],
            afterwards: ["ending apple", "ending apple"]
        ),
        Both(
            testDescription: "the grant has no end",
            state: .active,
            reach: .seconds(30 * 86_400),
            term: nil,
            shown: ["success paycast", "manage paycast"],
            afterwards: ["manage apple", "manage apple"]
        ),
        Both(
            testDescription: "the subscription is the better plan of the group",
            state: .active,
            reach: .seconds(30 * 86_400),
            term: .seconds(60 * 86_400),
            catalog: Catalog(["monthly": .init(group: "plans", level: 2), "pro": .init(group: "plans", level: 1)]),
            shown: ["manage apple", "success paycast"],
            afterwards: ["manage apple", "manage apple"]
        ),
        Both(
            testDescription: "the subscription is over",
            state: .expired,
            reach: .seconds(-3600),
            term: .seconds(3 * 86_400),
            shown: ["success paycast", "ending paycast"],
            afterwards: ["paywall apple", "paywall apple"]
        ),
        Both(
            testDescription: "the subscription's charge has failed",
            state: .inBillingRetry,
            reach: .seconds(60),
            term: .seconds(3 * 86_400),
            shown: ["success paycast", "ending paycast"],
            afterwards: ["fix_billing apple", "fix_billing apple"]
        ),
    ])
    func standsBesideAStoresContract(_ given: Both) throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), catalog: given.catalog)
        let ledger = try TemporaryLedger(policy: policy)
        defer { ledger.remove() }
        let event = Fixture.subscription(
            "e1",
            state: given.state,
            product: given.product,
            until: given.reach,
            group: given.catalog == Catalog() ? "premium" : nil
        )
        _ = try ledger.send(event, claim: Claim(user: Self.user))
        let before = try ledger.entitlements(Self.user).contracts.filter { $0.provider == .apple }
        let granted = grant("1", for: given.term)
        #expect(try give(granted, in: ledger).outcome == .applied)
        #expect(try shown(ledger) == given.shown)
        _ = try take(granted, at: Self.start + .seconds(30), in: ledger)
        #expect(try shown(ledger) == given.afterwards)
        #expect(try ledger.entitlements(Self.user).contracts.filter { $0.provider == .apple } == before)
    }

    /// The store goes on while the grant runs, and the page is told.
    @Test func aSubscriptionEndsWhileAGrantRuns() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(
            Fixture.subscription("e1", state: .cancelled, until: .seconds(3600)),
            claim: Claim(user: Self.user)
        )
        _ = try give(grant("1", for: .seconds(86_400)), in: ledger)
        try ledger.setClock(to: Self.start + .seconds(7200))
        #expect(try ledger.entitlements(Self.user).isActive)
        try ledger.setClock(to: Self.start + .seconds(86_401))
        #expect(try !ledger.entitlements(Self.user).isActive)
        #expect(try shown(ledger).first?.hasPrefix("paywall") == true)
    }

    /// The card is still to be mended when a grant that outlasted the failed charge ends by itself.
    @Test func aGrantEndsWhileTheStoreRetries() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let retry = Fixture.subscription("e1", state: .inBillingRetry, until: .seconds(60))
        _ = try ledger.send(retry, claim: Claim(user: Self.user))
        _ = try give(grant("1", for: .seconds(3 * 86_400)), in: ledger)
        try ledger.setClock(to: Self.start + .seconds(3 * 86_400 + 1))
        #expect(try shown(ledger) == ["fix_billing apple", "fix_billing apple"])
    }

    /// A grant brings an erased user back, as an order does; a replay of what is left of the erased one does not.
    @Test func bringsAnErasedUserBack() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let granted = grant("1", for: .seconds(86_400))
        _ = try give(granted, in: ledger)
        try ledger.erase(Self.user)
        #expect(try ledger.entitlements(Self.user).contracts.isEmpty)
        #expect(try ledger.replay(ReplayBatch(events: [granted.event])).changes.isEmpty)
        #expect(try !ledger.entitlements(Self.user).isActive)
        #expect(try give(granted, in: ledger).outcome == .applied)
        #expect(try ledger.entitlements(Self.user).isActive)
    }

    /// The erasure keeps the digests of both events' ids; taking it back again is another event.
    @Test func isTakenBackAgainAfterAnErasure() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let first = grant("1", for: nil)
        _ = try give(first, in: ledger)
        _ = try take(first, at: Self.start + .seconds(1), in: ledger)
        try ledger.erase(Self.user)
        let second = grant("1", for: nil, at: Self.start + .seconds(60))
        #expect(try give(second, in: ledger).outcome == .applied)
        #expect(try ledger.entitlements(Self.user).isActive)
        #expect(try take(second, at: Self.start + .seconds(61), in: ledger).outcome == .applied)
        #expect(try !ledger.entitlements(Self.user).isActive)
    }

    /// Another node's clock may be behind, or time may stand still.
    @Test(arguments: [Duration.zero, .seconds(-60)])
    func isTakenBackByAnEarlierClock(_ skew: Duration) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let granted = grant("1", for: .seconds(86_400))
        _ = try give(granted, in: ledger)
        #expect(try take(granted, at: Self.start + skew, in: ledger).outcome == .applied)
        #expect(try !ledger.entitlements(Self.user).isActive)
    }

    /// Under every policy: nobody else has a claim to it.
    @Test(arguments: TransferPolicy.allCases)
    func belongsToItsUser(_ policy: TransferPolicy) throws {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([]), transfers: policy))
        defer { ledger.remove() }
        let granted = grant("1", for: nil)
        #expect(try give(granted, in: ledger).claim == .granted)
        _ = try take(granted, at: Self.start + .seconds(1), in: ledger)
        _ = try give(grant("2", for: nil, at: Self.start + .seconds(2)), in: ledger)
        #expect(try ledger.entitlements(Self.user).contracts.map(\.state) == [.owned, .revoked])
    }

    /// Rebuilt from its events, it is the same.
    @Test func isRebuiltFromItsEvents() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let granted = grant("1", for: .seconds(86_400))
        _ = try give(granted, in: ledger)
        _ = try take(granted, at: Self.start + .seconds(1), in: ledger)
        let stored = try ledger.events(EventSelection(user: Self.user))
        #expect(stored.map(\.id) == ["1", "1-revoked-\(Self.start.milliseconds)"])
        let number = try #require(stored.first?.contract)
        var rebuild = try #require(try ledger.contract(number))
        for event in stored.reversed() {
            let delivery = StoredDelivery(
                id: event.id,
                body: event.body,
                environment: event.environment,
                app: event.app,
                receivedAt: event.receivedAt
            )
            if let event = try GrantReader().interpret(delivery) { rebuild.fold(event) }
        }
        #expect(rebuild.contract == rebuild.known)
        let report = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(report.outdated.isEmpty && !report.changes.contains(where: \.changesSomething))
    }
}

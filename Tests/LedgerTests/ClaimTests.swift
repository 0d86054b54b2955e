import Ledger
import Support
import TestSupport
import Testing

@testable import Domain

/// Transfers and restores: a genuine transaction, posted in a user's own session.
@Suite(.blocking) struct ClaimTests {
    private let now = TemporaryLedger.start

    private func ledger(_ policy: TransferPolicy, apis: Set<Provider> = []) throws -> TemporaryLedger {
        var policy = AccessPolicy(sandboxUsers: .any, transfers: policy)
        policy.apis = apis
        return try TemporaryLedger(policy: policy)
    }

    /// The event of a transaction that a user's app posts.
    private func posted(_ id: String, minute: Int64, until: Int64 = 30 * 86_400, lineage: String = "1") -> Event {
        let signedAt = now + .seconds(60 * minute)
        let charge = Transaction(
            id: "t",
            product: "monthly",
            purchasedAt: now,
            expiresAt: now + .seconds(until),
            signedAt: signedAt
        )
        return Fixture.event(
            id,
            kind: .contractUpdated,
            observation: Observation(
                contract: Fixture.key(lineage),
                kind: .subscription,
                group: "premium",
                transaction: charge
            )
        )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var policy: TransferPolicy
        var state = ContractState.active
        var outcome: ClaimOutcome
        var holders: [String]
        var fragments: [String]
        var testDescription: String { "\(policy.rawValue) \(state.rawValue)" }
    }

    private static let success = ["new paywall=success", "new subscription_status=manage"]
    private static let moved = ["old paywall=moved", "old subscription_status=moved"]

    @Test(arguments: [
        Case(policy: .transfer, outcome: .moved, holders: ["new"], fragments: moved + success),
        Case(policy: .transferIfInactive, outcome: .refused, holders: ["old"], fragments: []),
        Case(
            policy: .transferIfInactive,
            state: .expired,
            outcome: .moved,
            holders: ["new"],
            fragments: moved + ["new subscription_status=paywall"]
        ),
        // A user with access keeps the contract; billing retry and a pause give no access.
        Case(
            policy: .transferIfInactive,
            state: .inBillingRetry,
            outcome: .moved,
            holders: ["new"],
            fragments: moved + ["new paywall=fix_billing", "new subscription_status=fix_billing"]
        ),
        Case(
            policy: .transferIfInactive,
            state: .paused,
            outcome: .moved,
            holders: ["new"],
            fragments: moved + ["new paywall=paused", "new subscription_status=paused"]
        ),
        Case(policy: .transferIfInactive, state: .inGracePeriod, outcome: .refused, holders: ["old"], fragments: []),
        Case(policy: .transferIfInactive, state: .cancelled, outcome: .refused, holders: ["old"], fragments: []),
        Case(policy: .keep, outcome: .refused, holders: ["old"], fragments: []),
        Case(policy: .share, outcome: .shared, holders: ["old", "new"], fragments: success),
    ])
    func policies(_ given: Case) throws {
        let ledger = try ledger(given.policy)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        let until = given.state.givesAccess ? Duration.seconds(30 * 86_400) : .seconds(-60)
        _ = try ledger.send(Fixture.subscription("e1", state: given.state, until: until, token: token))
        let result = try ledger.send(
            posted("e2", minute: 1, until: until.components.seconds),
            claim: Claim(user: "new")
        )
        #expect(result.claim == given.outcome)
        let entries = try ledger.entries(after: 1).entries
        #expect(entries.count == 1)
        #expect(entries.flatMap { shown($0.fragments) } == given.fragments)
        if given.outcome == .moved || given.outcome == .shared {
            #expect(entries.map(\.notice.kind) == [.contractTransferred])
        }
        let holders = try (["old", "new"] as [UserID]).filter { try !ledger.entitlements($0).contracts.isEmpty }
        #expect(holders.map(\.text) == given.holders)
    }

    @Test func everyHolderIsToldOfLaterEvents() throws {
        let ledger = try ledger(.share)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.send(posted("e2", minute: 1), claim: Claim(user: "new"))
        _ = try ledger.send(Fixture.subscription("e3", state: .revoked, minute: 2, token: token))
        let last = try #require(try ledger.entries().entries.last)
        #expect(
            shown(last.fragments) == [
                "old paywall=revoked", "old subscription_status=revoked",
                "new paywall=revoked", "new subscription_status=revoked",
            ]
        )
        ledger.close()
        let later = try TemporaryLedger(at: ledger.path)
        #expect(try later.entitlements("new").contracts.map(\.state) == [.revoked])
        later.close()
    }

    @Test func unclaimedContractIsGranted() throws {
        let ledger = try ledger(.keep)
        defer { ledger.remove() }
        #expect(try ledger.send(Fixture.subscription("e1", state: .active)).outcome == .unclaimed)
        let result = try ledger.send(posted("e2", minute: 1), claim: Claim(user: "42"))
        #expect(result.claim == .granted)
        #expect(result.outcome == .applied)
        let last = try #require(try ledger.entries().entries.last)
        #expect(shown(last.fragments) == ["42 paywall=success", "42 subscription_status=manage"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
        // The renewal carries no token either.
        #expect(try ledger.send(Fixture.subscription("e3", state: .cancelled, minute: 9)).outcome == .applied)
        #expect(try ledger.entitlements("42").contracts.map(\.state) == [.cancelled])
    }

    /// Support gives a user what nobody has, and takes nothing from anybody, whatever the policy.
    @Test(arguments: TransferPolicy.allCases) func aClaimForTheUnclaimedMovesNothing(_ policy: TransferPolicy) throws {
        let ledger = try ledger(policy)
        defer { ledger.remove() }
        let event = Fixture.subscription("e1", state: .active)
        #expect(try ledger.send(event).outcome == .unclaimed)
        let given = try ledger.send(event, claim: Claim(user: "42", isAsked: false))
        #expect(given.outcome == .duplicate && given.claim == .granted)
        #expect(try ledger.send(event, claim: Claim(user: "42", isAsked: false)).claim == .granted)
        #expect(try ledger.send(event, claim: Claim(user: "43", isAsked: false)).claim == .untouched)
        #expect(try ledger.entitlements("42").contracts.map(\.state) == [.active])
        #expect(try ledger.entitlements("43").contracts.isEmpty)
        let last = try #require(try ledger.entries().entries.last)
        #expect(shown(last.fragments) == ["42 paywall=success", "42 subscription_status=manage"])
    }

    /// The first purchase arrives last: under `keep`, the contract still belongs to the first user.
    @Test func purchaseBeforeTheClaimKeepsItWheneverItArrives() throws {
        let ledger = try ledger(.keep)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        let claimed = try ledger.send(posted("e2", minute: 1), claim: Claim(user: "new"))
        #expect(claimed.claim == .granted)
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        #expect(try ledger.entitlements("new").contracts.isEmpty)
        #expect(try ledger.entitlements("old").isActive)
        let last = try #require(try ledger.entries().entries.last)
        #expect(last.fragments.summary.prefix(2) == ["paywall=moved", "subscription_status=moved"])
    }

    /// Two apps that post what they have at every start must not take the contract from each other for ever.
    @Test func sameProofMovesAContractOnce() throws {
        let ledger = try ledger(.transfer)
        defer { ledger.remove() }
        let proof = posted("e1", minute: 1)
        #expect(try ledger.send(proof, claim: Claim(user: "a"), receivedAt: now + .seconds(100)).claim == .granted)
        let second = try ledger.send(proof, claim: Claim(user: "b"), receivedAt: now + .seconds(200))
        #expect((second.outcome, second.claim) == (.duplicate, .moved))
        let third = try ledger.send(proof, claim: Claim(user: "a"), receivedAt: now + .seconds(300))
        #expect((third.outcome, third.claim) == (.duplicate, .refused))
        #expect(try ledger.entitlements("b").isActive)
        let fresh = try ledger.send(
            posted("e2", minute: 9),
            claim: Claim(user: "a"),
            receivedAt: now + .seconds(600)
        )
        #expect(fresh.claim == .moved)
        #expect(try ledger.entitlements("a").isActive)
        #expect(try ledger.send(posted("e3", minute: 10), claim: Claim(user: "a")).claim == .granted)
    }

    /// Renewals repeat the first order's token, but they are not purchases.
    @Test(arguments: TransferPolicy.allCases)
    func renewalDoesNotUndoAClaim(policy: TransferPolicy) throws {
        let ledger = try ledger(policy)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        let result = try ledger.send(posted("e2", minute: 1), claim: Claim(user: "new"))
        let held = try ledger.entitlements("new").isActive
        #expect(held == (result.claim != .refused))
        _ = try ledger.send(
            Fixture.subscription("e3", state: .active, minute: 9, until: .seconds(60 * 86_400), token: token)
        )
        #expect(try ledger.entitlements("new").isActive == held)
    }

    /// A purchase on the same lineage with another order's token, delivered in either order.
    @Test(arguments: TransferPolicy.allCases, [false, true])
    func purchaseByAnotherUser(policy: TransferPolicy, reversed: Bool) throws {
        let ledger = try ledger(policy)
        defer { ledger.remove() }
        let old = try ledger.order(OrderRequest(user: "old", product: "monthly")).order.token
        let new = try ledger.order(OrderRequest(user: "new", product: "monthly")).order.token
        let events = [
            Fixture.subscription("e1", state: .active, token: old),
            Fixture.subscription("e2", state: .active, minute: 5, token: new),
        ]
        for event in reversed ? events.reversed() : events { _ = try ledger.send(event) }
        let holders = try (["old", "new"] as [UserID]).filter { try ledger.entitlements($0).isActive }
        switch policy {
        case .transfer, .transferIfInactive: #expect(holders == ["new"])
        case .keep: #expect(holders == ["old"])
        case .share: #expect(holders == ["old", "new"])
        }
    }

    @Test func claimWithAnOrderAsksAppleToRepeatItsToken() throws {
        let ledger = try ledger(.transfer, apis: [.apple])
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(posted("e1", minute: 1), claim: Claim(user: "42", order: token))
        _ = try ledger.send(posted("e2", minute: 2), claim: Claim(user: "42", order: token))
        var family = posted("e3", minute: 2, lineage: "2")
        family.observation?.isFamilyShared = true
        #expect(try ledger.send(family, claim: Claim(user: "42", order: token)).claim == .granted)
        let due = try ledger.jobs(dueAt: now + .seconds(3600)).map(\.job)
        #expect(due.map(\.kind) == [.setToken])
        #expect(due.map(\.subject) == ["1"])
        #expect(due.map(\.detail) == [token.description])
        #expect(try ledger.entitlements("42").contracts.map(\.isFamilyShared).sorted { !$0 && $1 } == [false, true])
    }

    @Test func claimOfAnEventThatContradictsItsOrderIsNotHeard() throws {
        let ledger = try ledger(.transfer)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "old", product: "news", group: "news")).order.token
        var event = posted("e1", minute: 1)
        event.observation?.token = token
        let result = try ledger.send(event, claim: Claim(user: "new"))
        #expect((result.outcome, result.claim) == (.quarantined, .nobody))
    }

    private func shown(_ fragments: [Fragment]) -> [String] {
        zip(fragments, fragments.summary).map { fragment, summary in
            "\(fragment.stream.text.split(separator: ":")[1]) \(summary)"
        }
    }
}

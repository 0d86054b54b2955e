import Ledger
import TestSupport
import Testing

@testable import Domain

@Suite(.blocking) struct ReplayEventsTests {
    @Test func dryRunTellsAndChangesNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        let batch = ReplayBatch(events: [
            Fixture.subscription("e1", state: .active, token: token),
            Fixture.subscription("e2", state: .revoked, minute: 5),
        ])
        let changes = try ledger.replay(batch, isTrial: true).changes
        #expect(changes.map(\.after) == [.active, .revoked])
        #expect(changes.map(\.changesSomething) == [false, true])
        #expect(changes.map(\.user) == ["42", "42"])
        #expect(try ledger.entitlements("42").isActive)
        #expect(try ledger.entries().entries.count == 1)
        #expect(try ledger.replay(batch).changes == changes)
        #expect(try ledger.entitlements("42").isActive == false)
        #expect(
            try ledger.entries().entries.map(\.fragments.summary).last == [
                "paywall=revoked", "subscription_status=revoked",
            ]
        )
        // What was new is stored like any other event.
        #expect(try ledger.events(EventSelection(user: "42")).map(\.id) == ["e1", "e2"])
        #expect(try ledger.replay(batch).changes.allSatisfy { !$0.changesSomething })
        #expect(try ledger.entries().entries.count == 2)
    }

    /// Earlier versions dated a token by its first charge alone, so a buyer who came back got nothing.
    @Test func whoBoughtAgainIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let tokens = try ["1", "2"].map { user in
            try ledger.order(OrderRequest(user: UserID(user), product: "monthly")).order.token
        }
        func bought(_ number: Int, isPurchase: Bool) -> Event {
            var event = Fixture.subscription(
                "e\(number)",
                state: .active,
                minute: Int64(number),
                token: tokens[number % 2]
            )
            event.observation?.isPurchase = isPurchase
            event.observation?.transaction = Transaction(
                id: "\(number)",
                product: "monthly",
                purchasedAt: event.signedAt,
                expiresAt: event.signedAt + .seconds(30 * 86_400),
                signedAt: event.signedAt
            )
            return event
        }
        for number in 0..<3 { _ = try ledger.send(bought(number, isPurchase: false)) }
        #expect(try ledger.entitlements("2").isActive)
        var rebuild = try #require(try ledger.contract(1))
        for number in 0..<3 { rebuild.fold(bought(number, isPurchase: true)) }
        _ = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(try ledger.entitlements("1").isActive)
        #expect(try ledger.entitlements("2").contracts.isEmpty)
    }

    /// The answer about what a user may use shows it.
    @Test func aCorrectedGroupIsAChange() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active), claim: Claim(user: "42"))
        let count = try ledger.entries().entries.count
        var rebuild = try #require(try ledger.contract(1))
        rebuild.fold(Fixture.subscription("e1", state: .active, group: "basic"))
        _ = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(try ledger.entitlements("42").contracts.map(\.group) == ["basic"])
        #expect(try ledger.entries().entries.count == count + 1)
    }

    /// What an earlier version misread, here a revocation 15 years ahead, would otherwise stay the newest for ever.
    @Test func wrongStateIsMadeAnew() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let events = [
            Fixture.subscription("e1", state: .active, token: token),
            Fixture.subscription("e2", state: .cancelled, minute: 5, token: token),
        ]
        for event in events + [Fixture.subscription("e3", state: .revoked, minute: 8_000_000)] {
            _ = try ledger.send(event)
        }
        #expect(try ledger.entitlements("42").isActive == false)
        let truth = Fixture.subscription("e3", state: .active, minute: 7)
        var rebuild = try #require(try ledger.contract(1))
        for event in [events[1], truth, events[0]] { rebuild.fold(event) }
        rebuild.fold(Fixture.subscription("e4", state: .revoked, minute: 9, key: Fixture.key("of another contract")))

        let trial = try ledger.replay(ReplayBatch(rebuilds: [rebuild]), isTrial: true)
        #expect(trial.changes.map(\.before) == [.revoked] && trial.changes.map(\.after) == [.active])
        #expect(try ledger.entitlements("42").isActive == false)
        #expect(try ledger.replay(ReplayBatch(rebuilds: [rebuild])) == trial)
        #expect(try ledger.entitlements("42").isActive)
        let last = try #require(try ledger.entries().entries.last)
        #expect(last.notice.kind == .contractUpdated)
        #expect(last.fragments.summary == ["paywall=success", "subscription_status=manage"])
        let known = try #require(try ledger.contract(1)).contract
        #expect(known == rebuild.contract)
    }

    @Test func contractThatChangedMeanwhileIsLeftAlone() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active))
        var rebuild = try #require(try ledger.contract(1))
        rebuild.fold(Fixture.subscription("e1", state: .active))
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 5))
        let report = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(report.outdated == [rebuild.known.key] && report.changes.isEmpty)
    }

    /// A stale event changes no register, but the rebuild has not read it.
    @Test func staleEventMeanwhileCountsToo() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 5))
        var rebuild = try #require(try ledger.contract(1))
        rebuild.fold(Fixture.subscription("e2", state: .active, minute: 1))
        #expect(try ledger.send(Fixture.subscription("e1", state: .active)).outcome == .stale)
        #expect(try ledger.replay(ReplayBatch(rebuilds: [rebuild])).outdated == [rebuild.known.key])
    }

    /// An event that no longer contradicts its order joins its contract.
    @Test func quarantinedEventIsFiledWhenItFits() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let request = OrderRequest(user: "42", product: "monthly", provider: .google, token: token)
        _ = try ledger.order(request)
        let events = [
            Fixture.subscription("e1", state: .pending),
            Fixture.subscription("e2", state: .active, minute: 5, token: token),
        ]
        #expect(try events.map { try ledger.send($0).outcome } == [.unclaimed, .quarantined])
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", provider: .apple, token: token))
        for (isTrial, changes) in [(true, true), (false, true), (false, false)] {
            let filed = try ledger.events(EventSelection(contract: 1)).map(\.id)
            var rebuild = try #require(try ledger.contract(1))
            for event in events where filed.contains(event.id) { rebuild.fold(event) }
            let batch = ReplayBatch(events: events.filter { !filed.contains($0.id) }, rebuilds: [rebuild])
            let report = try ledger.replay(batch, isTrial: isTrial)
            #expect(report.changes.contains(where: \.changesSomething) == changes)
            #expect(report.changes.last?.after == .active)
            #expect(try ledger.entitlements("42").isActive == !isTrial)
        }
        #expect(try ledger.events(EventSelection(contract: 1)).map(\.id) == ["e1", "e2"])
    }

    /// Its events alone tell nothing about it, so what is known must not be lost.
    @Test func contractWithoutAStatementStays() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active))
        var rebuild = try #require(try ledger.contract(1))
        rebuild.fold(
            Fixture.event(
                "e1",
                kind: .contractUpdated,
                observation: Observation(contract: Fixture.key("1"), kind: .subscription)
            )
        )
        #expect(try ledger.replay(ReplayBatch(rebuilds: [rebuild])).changes.allSatisfy { !$0.changesSomething })
        #expect(try ledger.contract(1)?.contract == rebuild.known)
    }

    @Test func unreadableEventsMayOnlyRaiseRegisters() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Fixture.subscription("e1", state: .active))
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 5))
        var rebuild = try #require(try ledger.contract(1))
        let known = rebuild.known
        rebuild.fold(Fixture.subscription("e1", state: .active))
        rebuild.miss()
        #expect(rebuild.contract == known)
        rebuild.fold(Fixture.subscription("e3", state: .revoked, minute: 6))
        #expect(rebuild.contract.snapshot?.snapshot.state == .revoked)
    }

    @Test func usersAreToldAgain() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let events = [
            Fixture.subscription("e1", state: .active, token: token),
            Fixture.subscription("e2", state: .cancelled, minute: 1, token: token),
        ]
        for event in events { _ = try ledger.send(event) }
        #expect(try ledger.rebroadcast(contracts: [1, 1, 99]) == ["42"])
        let entries = try ledger.entries(after: 2).entries
        #expect(entries.map(\.fragments.summary) == [["paywall=ending", "subscription_status=ending"]])
        #expect(entries.map(\.notice.user) == ["42"])
    }

    @Test func storedEventsAreFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for number in 1...6 {
            let key = Fixture.key("\(number % 2)")
            _ = try ledger.send(Fixture.subscription("e\(number)", state: .active, minute: Int64(number), key: key))
        }
        #expect(try ledger.events(EventSelection()).count == 6)
        #expect(try ledger.events(EventSelection(since: 2, until: 4)).map(\.id) == ["e2", "e3", "e4"])
        #expect(try ledger.events(EventSelection(contract: 2)).map(\.id) == ["e2", "e4", "e6"])
        #expect(try ledger.contract(2, until: 5)?.newest == 4)
        #expect(try ledger.events(EventSelection(after: 2), limit: 2).map(\.id) == ["e3", "e4"])
        #expect(try ledger.events(EventSelection(ids: ["e5", "e1", "none"])).map(\.id) == ["e1", "e5"])
        #expect(try ledger.events(EventSelection(ids: ["e5", "e4", "e1"], since: 2, until: 4)).map(\.id) == ["e4"])
        let first = try #require(try ledger.events(EventSelection(ids: ["e1"])).first)
        #expect(String(decoding: first.body, as: UTF8.self) == "{\"id\":\"e1\"}")
        #expect((first.provider, first.app, first.position) == (.apple, "com.example", 1))
    }
}

import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// What a commit writes for the app's backend, and what is left of it after an attempt.
@Suite(.blocking) struct HookTests {
    static let address = "https://backend.example/hooks"
    let now = TemporaryLedger.start

    func ledger(_ targets: [HookTarget] = [HookTarget(address: address)]) throws -> TemporaryLedger {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = targets
        return try TemporaryLedger(policy: policy)
    }

    func bought(
        _ id: String,
        by user: UserID,
        state: ContractState = .active,
        minute: Int64 = 0,
        lineage: String = "1"
    )
        -> Event
    {
        let key = Fixture.key(lineage, provider: .revenuecat)
        var event = Fixture.subscription(id, state: state, minute: minute, key: key)
        event.observation?.user = user
        return event
    }

    @Test func aChangeIsToldWithItsCause() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let result = try ledger.send(bought("e1", by: "42"))
        let due = try #require(try ledger.hooks(to: HookTests.address).first)
        #expect(due.delivery.type == .entitlementsChanged && due.delivery.user == "42")
        #expect(due.delivery.position == result.cursor.position && due.delivery.superseded == 0)
        #expect(due.cause.notice.event == "e1" && due.cause.notice.outcome == .applied)
        #expect(due.entitlements == (try ledger.entitlements("42")))
    }

    /// Whatever the user holds besides, also what the transaction does not read.
    @Test func aMessageSaysWhatTheAnswerSays() throws {
        let ledger = try ledger([HookTarget(address: HookTests.address, types: [.entitlementsChanged])])
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let changes: [Event] = [
            Fixture.subscription("e1", state: .active, token: token),
            Fixture.subscription(
                "e2",
                state: .active,
                minute: 1,
                product: "annual",
                token: token,
                key: Fixture.key("2")
            ),
            Fixture.purchase("e3", kind: .consumable, product: "coins", token: token),
            Fixture.subscription("e4", state: .cancelled, minute: 2, token: token),
        ]
        for event in changes {
            _ = try ledger.send(event)
            let due = try #require(try ledger.hooks(to: HookTests.address).first)
            #expect(due.entitlements == (try ledger.entitlements("42")), "\(event.id)")
        }
        #expect(try ledger.entitlements("42").contracts.count == 3)
        // Known before a policy by which it is not said any more.
        #expect(try ledger.send(bought("e5", by: "43", lineage: "3")).outcome == .applied)
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: HookTests.address)]
        policy.catalog = Catalog(["monthly": .init(group: "other")])
        #expect(ledger.writer.submit(.policy(policy)) && ledger.reader.adopt(policy))
        _ = try ledger.order(OrderRequest(user: "44", product: "monthly"))
        let due = try #require(try ledger.hooks(to: HookTests.address).first { $0.delivery.user == "43" })
        #expect(due.entitlements == (try ledger.entitlements("43")))
    }

    /// Beside a change by the present policy, no status is said that another one wrote.
    @Test func aMessageFollowsThePresentPolicy() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "pass")).order.token
        _ = try ledger.send(Fixture.purchase("e1", kind: .nonRenewing, product: "pass", token: token))
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: HookTests.address)]
        policy.catalog = Catalog(["pass": .init(kind: .nonRenewing, duration: .seconds(86_400))])
        #expect(ledger.writer.submit(.policy(policy)) && ledger.reader.adopt(policy))
        _ = try ledger.send(bought("e2", by: "42", lineage: "2"))
        let due = try #require(try ledger.hooks(to: HookTests.address).first)
        #expect(due.entitlements == (try ledger.entitlements("42")))
        #expect(due.entitlements?.contracts.contains { $0.product == "pass" && $0.accessUntil != nil } == true)
    }

    struct Silence: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var event: Event
    }

    /// Nothing that changes nothing, however it arrives.
    @Test func noChangeIsNotTold() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42", minute: 1))
        try ledger.acceptAll(to: HookTests.address)
        #expect(try ledger.send(bought("e1", by: "42", minute: 1)).outcome == .duplicate)
        #expect(try ledger.send(bought("e0", by: "42", state: .expired)).outcome == .stale)
        _ = try ledger.send(bought("e2", by: "42", minute: 2))
        _ = try ledger.send(Fixture.event("test", kind: .providerTest, observation: nil))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly"))
        _ = try ledger.broadcast([
            Fragment(stream: try #require(StreamName("user:42:paywall")), action: "refresh", content: .none)
        ])
        #expect(try ledger.hooks(to: HookTests.address).isEmpty)
        #expect(try ledger.deliveries(of: "42").map(\.version) == [1])
    }

    /// While an address fails, one row of a user waits, and what it says is the newest.
    @Test func olderStatesGiveWay() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        for (index, state) in [ContractState.active, .cancelled, .inGracePeriod, .expired].enumerated() {
            _ = try ledger.send(bought("e\(index)", by: "42", state: state, minute: Int64(index)))
        }
        let due = try ledger.hooks(to: HookTests.address)
        #expect(due.count == 1 && due.first?.delivery.superseded == 3)
        #expect(due.first?.cause.notice.event == "e3")
        #expect(due.first?.entitlements?.contracts.map(\.state) == [.expired])
    }

    /// What changes while an attempt is on its way is told afterwards.
    @Test func aChangeDuringAnAttemptStaysWaiting() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        let first = try #require(try ledger.hooks(to: HookTests.address).first)
        _ = try ledger.send(bought("e2", by: "42", state: .cancelled, minute: 1))
        try ledger.end(first, with: .accepted)
        let second = try #require(try ledger.hooks(to: HookTests.address).first)
        #expect(second.delivery.superseded == 0 && second.cause.notice.event == "e2")
        // The attempt was another version's.
        #expect(second.delivery.attempts == 0)
        #expect(second.delivery.messageID(epoch: "e") != first.delivery.messageID(epoch: "e"))
        try ledger.end(second, with: .accepted)
        #expect(try ledger.deliveries(of: "42").map(\.state) == [.delivered])
    }

    @Test func bothUsersOfATransferAreTold() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "a"))
        try ledger.acceptAll(to: HookTests.address)
        var transfer = Fixture.event("t1", kind: .contractTransferred, observation: nil)
        transfer.provider = .revenuecat
        transfer.signedAt = now + .seconds(300)
        transfer.transfer = Transfer(from: ["a"], to: "b")
        _ = try ledger.send(transfer)
        let due = try ledger.hooks(to: HookTests.address)
        #expect(Set(due.map(\.delivery.user)) == ["a", "b"])
        #expect(due.first { $0.delivery.user == "a" }?.entitlements?.isActive == false)
        #expect(due.first { $0.delivery.user == "b" }?.entitlements?.isActive == true)
    }

    @Test func anEndThatNobodyAnnouncesIsTold() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42", state: .cancelled))
        try ledger.acceptAll(to: HookTests.address)
        try ledger.setClock(to: now + .seconds(31 * 86_400))
        let due = try #require(try ledger.hooks(to: HookTests.address).first)
        #expect(due.cause.notice.kind == .accessEnded && due.entitlements?.isActive == false)
    }

    /// Of a Sandbox purchase that opens nothing, the answer speaks all the same.
    @Test func whatOpensNoAccessIsToldToo() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        var event = Fixture.subscription(
            "e1",
            state: .active,
            key: Fixture.key(environment: .sandbox, provider: .revenuecat)
        )
        event.observation?.user = "42"
        _ = try ledger.send(event)
        let due = try #require(try ledger.hooks(to: HookTests.address).first)
        #expect(due.entitlements?.isActive == false && due.entitlements?.contracts.count == 1)
    }

    @Test func whoSendsItAgainIsInTheAudit() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        let id = try #require(try ledger.deliveries(of: "42").first?.id)
        let act = Act(.resend, by: Act.Actor(name: "support"), user: "42")
        #expect(try ledger.tell { ledger.writer.submit(.audited(.resendHook(id, completion: $0), by: act)) })
        #expect(try ledger.tell { ledger.writer.submit(.resendHook(id, completion: $0)) })
        #expect(try ledger.acts() == [act])
    }

    /// What happens after the erasure is told after it, although its message failed.
    @Test func noMessagePassesAnEarlierOne() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        try ledger.erase("42")
        let erased = try #require(try ledger.hooks(to: HookTests.address).first)
        try ledger.end(erased, with: .retry(at: now + .seconds(300), reason: "it answers 503"))
        let next = Fixture.subscription("e2", state: .active, minute: 1, key: Fixture.key("2"))
        #expect(try ledger.send(next, claim: Claim(user: "42")).outcome == .applied)
        #expect(try ledger.deliveries(of: "42").map(\.type) == [.entitlementsChanged, .userErased])
        #expect(try ledger.hooks(to: HookTests.address).isEmpty)
        try ledger.setClock(to: now + .seconds(301))
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.type) == [.userErased])
        try ledger.acceptAll(to: HookTests.address)
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.type) == [.entitlementsChanged])
    }

    struct Attempt: Sendable, CustomTestStringConvertible {
        var result: HookResult
        var state: HookState
        var failures: Int
        var isGone = false
        var testDescription: String { "\(result)" }
    }

    private static let attempts = [
        Attempt(result: .accepted, state: .delivered, failures: 0),
        Attempt(result: .retry(at: TemporaryLedger.start + .seconds(5), reason: "no"), state: .waiting, failures: 1),
        Attempt(result: .failed(reason: "no"), state: .failed, failures: 1),
        Attempt(result: .gone(reason: "no"), state: .waiting, failures: 1, isGone: true),
    ]

    @Test(arguments: attempts) func anAttemptIsRecorded(_ attempt: Attempt) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        try ledger.end(try #require(try ledger.hooks(to: HookTests.address).first), with: attempt.result)
        #expect(try ledger.deliveries(of: "42").map(\.state) == [attempt.state])
        #expect(try ledger.deliveries(in: attempt.state).count == 1)
        var address = try #require(try ledger.addresses([HookTests.address]).first)
        #expect(address.failures == attempt.failures && (address.failingSince != nil) == (attempt.failures > 0))
        #expect((address.goneAt != nil) == attempt.isGone)
        #expect(address.waiting == (attempt.state == .waiting ? 1 : 0))
        // Both are remembered until somebody does something.
        let id = try #require(try ledger.deliveries(of: "42").first?.id)
        #expect(try ledger.tell { ledger.writer.submit(.resendHook(id, completion: $0)) })
        #expect(try ledger.tell { ledger.writer.submit(.nameHooks([HookTests.address], completion: $0)) })
        address = try #require(try ledger.addresses([HookTests.address]).first)
        #expect(address.goneAt == nil && address.waiting == 1)
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.attempts) == [0])
    }

    /// The message that first finds an address down would else be the last to arrive.
    @Test func theEndOfAnOutageHastensWhatHasFailed() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        for user in ["a", "b"] { _ = try ledger.send(bought("e-\(user)", by: UserID(user), lineage: user)) }
        let due = try ledger.hooks(to: HookTests.address)
        try ledger.end(due[0], with: .retry(at: now + .seconds(86_400), reason: "down"))
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.user) == ["b"])
        try ledger.end(due[1], with: .accepted, endsOutage: true)
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.user) == ["a"])
    }

    @Test func eachAddressGetsItsTypes() throws {
        let other = HookTarget(address: "https://other.example", types: [.userErased])
        let ledger = try ledger([HookTarget(address: HookTests.address), other])
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        #expect(try ledger.hooks(to: other.address).isEmpty)
        try ledger.erase("42")
        #expect(try ledger.hooks(to: other.address).map(\.delivery.type) == [.userErased])
    }

    @Test func withoutAnAddressNothingIsWritten() throws {
        let ledger = try ledger([])
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        try ledger.erase("42")
        #expect(try ledger.deliveries(in: nil).isEmpty)
    }
}

extension TemporaryLedger {
    func hooks(to address: String) throws -> [DueHook] {
        try reader.answer { try $0.hooks(to: address, limit: 100) }
    }

    func deliveries(of user: UserID) throws -> [HookDelivery] {
        try reader.answer { try $0.hookDeliveries(of: user) }
    }

    fileprivate func deliveries(in state: HookState?) throws -> [HookDelivery] {
        try reader.answer { try $0.hookDeliveries(in: state, before: .max, limit: 100) }
    }

    fileprivate func addresses(_ addresses: [String]) throws -> [HookAddressState] {
        try reader.answer { try $0.hookAddresses(addresses) }
    }

    func end(_ due: DueHook, with result: HookResult, endsOutage: Bool = false) throws {
        let answered = [AnsweredHook(due.delivery, result: result)]
        #expect(try tell { writer.submit(.hooks(answered, endsOutage: endsOutage, completion: $0)) })
    }

    func acceptAll(to address: String) throws {
        for due in try hooks(to: address) { try end(due, with: .accepted) }
    }

    func name(_ addresses: [String]) throws {
        #expect(try tell { writer.submit(.nameHooks(addresses, completion: $0)) })
    }

    fileprivate func acts() throws -> [Act] {
        let page: AuditPage = try reader.answer { try $0.audit(AuditSelection(), limit: 10) }
        return page.entries.map(\.act)
    }

    func tell(_ command: (@escaping @Sendable (Bool) -> Void) -> Bool) throws -> Bool {
        let answer = Promise<Bool>()
        guard command(answer.fulfil) else { throw LedgerError.busy }
        return answer.wait()
    }
}

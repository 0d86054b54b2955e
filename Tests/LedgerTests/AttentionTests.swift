import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// What an operator should look at, and what has a name.
@Suite(.blocking) struct AttentionTests {
    @Test func theUnclaimedAndTheQuarantinedAreListed() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = try ledger.order(OrderRequest(user: "42", product: "p", provider: .google)).order
        _ = try ledger.send(Fixture.subscription("q1", state: .active, token: order.token))
        for number in 1...3 {
            _ = try ledger.send(Fixture.subscription("u\(number)", state: .active, key: Fixture.key("\(number)")))
        }
        _ = try ledger.send(Fixture.subscription("u4", state: .cancelled, minute: 1, key: Fixture.key("3")))
        _ = try ledger.send(
            Fixture.subscription("c2", state: .cancelled, minute: 1, key: Fixture.key("2")),
            claim: Claim(user: "42")
        )
        let found = try ledger.attention()
        #expect(found.unclaimedContracts == 2)
        // One for each contract, and none whose contract has found its user.
        #expect(found.unclaimed.map(\.notice.event) == ["u4", "u1"])
        #expect(found.quarantined.map(\.notice.event) == ["q1"])
        #expect(found.jobs.isEmpty && found.hooks.isEmpty && found.failedHooks.isEmpty)
    }

    /// Neither the newer ones that were claimed since nor many of one contract hide a purchase that nobody has.
    @Test func noneIsHiddenByNewerOnes() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let submit = { (event: Event, claim: Claim?) in
            #expect(ledger.writer.submit(.event(event, claim: claim, receivedAt: event.signedAt) { _ in }))
        }
        submit(Fixture.subscription("old", state: .active, key: Fixture.key("old")), nil)
        for number in 0..<51 {
            let key = Fixture.key("claimed\(number)")
            submit(Fixture.subscription("u\(number)", state: .active, key: key), nil)
            submit(Fixture.subscription("c\(number)", state: .cancelled, minute: 1, key: key), Claim(user: "42"))
        }
        for number: Int64 in 0..<200 {
            submit(Fixture.subscription("same\(number)", state: .active, minute: number, key: Fixture.key("same")), nil)
        }
        let last = Fixture.subscription("same200", state: .cancelled, minute: 200, key: Fixture.key("same"))
        #expect(try ledger.send(last).outcome == .unclaimed)
        #expect(try ledger.attention().unclaimed.map(\.notice.event) == ["same200", "old"])
    }

    /// Without a key of its API, Stripe's refund of a subscription's charge names neither product nor order.
    @Test(arguments: [ContractState.revoked, .owned]) func aRefundAloneIsNoPurchase(_ state: ContractState) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let key = Fixture.key("pi_1", provider: .stripe)
        var refund = Observation(contract: key, kind: .nonConsumable)
        refund.snapshot = Snapshot(
            state: state,
            product: "",
            autoRenew: nil,
            accessUntil: nil,
            signedAt: Fixture.now + .seconds(60)
        )
        let refunded = Fixture.event("refund", observation: refund)
        #expect(try ledger.send(refunded).outcome == .ignored)
        #expect(try ledger.attention().unclaimed.isEmpty && ledger.attention().unclaimedContracts == 0)
        let alone = try #require(try ledger.entries(after: 0, limit: 9).entries.last)
        #expect(alone.notice.reason == "no purchase is known that it could be about")
        // The purchase may come after its refund.
        var bought = Observation(contract: key, kind: .nonConsumable)
        bought.transaction = Transaction(id: "1", product: "p", purchasedAt: Fixture.now, signedAt: Fixture.now)
        #expect(try ledger.send(Fixture.event("sale", observation: bought)).outcome == .unclaimed)
        let found = try ledger.attention()
        #expect(found.unclaimedContracts == 1 && found.unclaimed.map(\.notice.event) == ["sale"])
        _ = try ledger.send(Fixture.event("again", observation: bought), claim: Claim(user: "42"))
        #expect(try ledger.attention().unclaimedContracts == 0)
        #expect(try ledger.entitlements("42").contracts.map(\.state) == [state])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
    }

    @Test func anErasedUserIsNowhere() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = try ledger.order(OrderRequest(user: "erin", product: "p", provider: .google)).order
        _ = try ledger.send(Fixture.subscription("q1", state: .active, token: order.token))
        _ = try ledger.send(
            Fixture.subscription("e1", state: .active, key: Fixture.key("2")),
            claim: Claim(user: "erin")
        )
        _ = try ledger.erase("erin")
        #expect(try ledger.attention().quarantined.allSatisfy { $0.notice.user == nil && $0.notice.order == nil })
        for name in ["erin", order.token.description, "2", "e1"] {
            #expect(try ledger.search(name).isEmpty, "\(name)")
        }
    }

    @Test func everyKindOfNameIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = try ledger.order(OrderRequest(user: "42", product: "p")).order
        #expect(try ledger.search("42") == [.user("42")])
        #expect(try ledger.search(order.token.description.uppercased()) == [.order(order)])
        var event = Fixture.subscription("e1", state: .active, key: Fixture.key("lineage"))
        event.observation?.account = "cus_7"
        _ = try ledger.send(event)
        for name in ["lineage", "cus_7"] {
            let found = try ledger.search(name)
            guard case .contract(let contract, let owner, let newest) = try #require(found.first) else {
                Issue.record("\(found)")
                return
            }
            #expect(contract.key.lineage == "lineage" && owner == nil && newest?.position == 1 && found.count == 1)
        }
        guard case .event(let entry) = try #require(try ledger.search("e1").first) else {
            Issue.record("no event")
            return
        }
        #expect(entry.notice.event == "e1")
        for name in ["4", "43", "E1", "e", ""] { #expect(try ledger.search(name).isEmpty) }
    }

    /// A receipt of Google's has the order's number, and a renewal's one more.
    @Test func whatAReceiptOfGooglesShowsIsFound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let number = "GPA.1234-5678-9012-34567"
        let key = Fixture.key("token-of-erin", provider: .google)
        for (minute, charge) in [nil, number, number + "..0", number + "..1"].enumerated() {
            var event = Fixture.subscription("g\(minute)", state: .active, minute: Int64(minute), key: key)
            event.observation?.transaction = charge.map { id in
                Transaction(id: id, product: "monthly", purchasedAt: Fixture.now, signedAt: event.signedAt)
            }
            _ = try ledger.send(event, claim: Claim(user: "erin"))
            for name in [number, number + "..0", number + "..9"] {
                let lineages = try ledger.search(name).map { hit in
                    if case .contract(let contract, _, _) = hit { contract.key.lineage } else { "\(hit)" }
                }
                #expect(lineages == (charge == nil ? [] : ["token-of-erin"]), "\(minute) \(name)")
            }
        }
        for name in ["GPA.1234", number + ".", "..0", number.lowercased()] { #expect(try ledger.search(name).isEmpty) }
        _ = try ledger.erase("erin")
        #expect(try ledger.search(number).isEmpty)
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsNotFound(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: UserID(pair.one), product: "p"))
        #expect(try ledger.search(pair.one).count == 1)
        #expect(try ledger.search(pair.other).isEmpty)
    }
}

extension TemporaryLedger {
    func attention() throws -> Attention {
        try reader.answer { try $0.attention(of: []) }
    }

    func search(_ name: String) throws -> [SearchHit] {
        try reader.answer { try $0.search(name) }
    }
}

import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// What the page of a consumable's owner is told, and what the backend is.
@Suite(.blocking) struct PurchaseNewsTests {
    static let address = "https://backend.example/hooks"

    enum Step: Sendable {
        case bought(Int64), refunded(Int64), pending, unpaid(Int64), claimed(UserID), ordered, again
        case subscribed
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        var environment = StoreEnvironment.production
        var transfers = TransferPolicy.transfer
        /// `USER=STATE` of each fragment for `#purchase`.
        var shown: [String]
        /// `USER TYPE` of each message about a purchase.
        var told: [String]
    }

    private static let delivered = "42 purchase.delivered"

    static let cases = [
        Case(testDescription: "bought", steps: [.ordered, .bought(0)], shown: ["42=delivered"], told: [delivered]),
        Case(
            testDescription: "sent again",
            steps: [.ordered, .bought(0), .again, .bought(1)],
            shown: ["42=delivered"],
            told: [delivered]
        ),
        Case(
            testDescription: "refunded, and the refund taken back",
            steps: [.ordered, .bought(0), .refunded(1), .bought(2)],
            shown: ["42=delivered", "42=revoked", "42=delivered"],
            told: [delivered, "42 purchase.revoked", delivered]
        ),
        Case(
            testDescription: "claimed later",
            steps: [.bought(0), .claimed("42")],
            shown: ["42=delivered"],
            told: [delivered]
        ),
        Case(
            testDescription: "ordered later",
            steps: [.bought(0), .ordered],
            shown: ["42=delivered"],
            told: [delivered]
        ),
        Case(
            testDescription: "refunded before anybody had it",
            steps: [.bought(0), .refunded(1), .claimed("42")],
            shown: [],
            told: []
        ),
        Case(testDescription: "unclaimed", steps: [.bought(0)], shown: [], told: []),
        Case(
            testDescription: "the refund came first",
            steps: [.ordered, .refunded(1), .bought(0)],
            shown: [],
            told: []
        ),
        Case(
            testDescription: "paid later",
            steps: [.ordered, .pending, .bought(1)],
            shown: ["42=pending", "42=delivered"],
            told: [delivered]
        ),
        Case(
            testDescription: "never paid",
            steps: [.ordered, .pending, .unpaid(1)],
            shown: ["42=pending", "42=expired"],
            told: []
        ),
        Case(
            testDescription: "moved: it was handed out, and is taken back from whoever has it",
            steps: [.bought(0), .claimed("a"), .claimed("b"), .refunded(9)],
            shown: ["a=delivered", "b=revoked"],
            told: ["a purchase.delivered", "b purchase.revoked"]
        ),
        Case(
            testDescription: "refused",
            steps: [.bought(0), .claimed("a"), .claimed("b")],
            transfers: .keep,
            shown: ["a=delivered"],
            told: ["a purchase.delivered"]
        ),
        Case(
            testDescription: "shared: it is handed out once",
            steps: [.bought(0), .claimed("a"), .claimed("b"), .refunded(9)],
            transfers: .share,
            shown: ["a=delivered", "a=revoked"],
            told: ["a purchase.delivered", "a purchase.revoked"]
        ),
        Case(
            testDescription: "a Sandbox purchase that the policy does not honor",
            steps: [.ordered, .bought(0), .refunded(1)],
            environment: .sandbox,
            shown: [],
            told: []
        ),
        Case(testDescription: "a subscription", steps: [.subscribed], shown: [], told: []),
    ]

    private let token = OrderToken.random()

    private func ledger(_ transfers: TransferPolicy = .transfer) throws -> TemporaryLedger {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: PurchaseNewsTests.address)]
        policy.transfers = transfers
        return try TemporaryLedger(policy: policy)
    }

    private func fuel(
        _ id: String,
        minute: Int64 = 0,
        revoked: Bool = false,
        environment: StoreEnvironment = .production,
        transaction: String = "t1",
        token: OrderToken?
    ) -> Event {
        var event = Fixture.purchase(
            id,
            kind: .consumable,
            product: "fuel",
            minute: minute,
            revoked: revoked,
            token: token
        )
        event.environment = environment
        event.observation?.contract = Fixture.key(transaction, environment: environment)
        event.observation?.transaction?.id = transaction
        event.observation?.transaction?.quantity = 20
        event.observation?.transaction?.price = 1990
        event.observation?.transaction?.currency = "EUR"
        return event
    }

    private func event(_ step: Step, number: Int, of story: Case) -> Event {
        let id = "e\(number)"
        func waiting(_ state: ContractState, at instant: Instant) -> Event {
            var event = fuel(id, environment: story.environment, token: token)
            event.observation?.transaction = nil
            event.observation?.snapshot = Snapshot(
                state: state,
                product: "fuel",
                autoRenew: false,
                accessUntil: nil,
                signedAt: instant
            )
            return event
        }
        switch step {
        case .refunded(let minute):
            return fuel(id, minute: minute, revoked: true, environment: story.environment, token: token)
        case .pending: return waiting(.pending, at: Instant(milliseconds: 0))
        case .unpaid(let minute): return waiting(.expired, at: Fixture.now + .seconds(60 * minute))
        case .again: return fuel("e1", environment: story.environment, token: token)
        case .subscribed: return Fixture.subscription(id, state: .active, token: token)
        case .bought(let minute): return fuel(id, minute: minute, environment: story.environment, token: token)
        case .claimed, .ordered: return fuel(id, environment: story.environment, token: token)
        }
    }

    @Test(arguments: cases) func isToldOnce(_ story: Case) throws {
        let ledger = try ledger(story.transfers)
        defer { ledger.remove() }
        var told: [String] = []
        for (number, step) in story.steps.enumerated() {
            switch step {
            case .ordered:
                _ = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
            case .claimed(let user):
                _ = try ledger.send(event(step, number: number, of: story), claim: Claim(user: user))
            default: _ = try ledger.send(event(step, number: number, of: story))
            }
            told += try acceptPurchases(ledger).map { "\($0.delivery.user) \($0.delivery.type.rawValue)" }
        }
        #expect(try shown(ledger) == story.shown)
        #expect(told == story.told)
    }

    private func shown(_ ledger: TemporaryLedger) throws -> [String] {
        try ledger.entries().entries.flatMap(\.fragments).compactMap { fragment in
            guard fragment.target == "purchase", case .template("purchase", let values) = fragment.content else {
                return nil
            }
            return "\(values["user"] ?? "")=\(values["state"] ?? "")"
        }
    }

    /// Accepts what is due until nothing is. Returns what is about purchases.
    private func acceptPurchases(_ ledger: TemporaryLedger) throws -> [DueHook] {
        var told: [DueHook] = []
        while let due = try ledger.hooks(to: PurchaseNewsTests.address).first {
            if due.delivery.contract > 0 { told.append(due) }
            try ledger.end(due, with: .accepted)
        }
        return told
    }

    /// Each one arrives, in order, however long the address was down; one that is sent again has the version that it had.
    @Test func nothingTakesThePlaceOfAnother() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
        _ = try ledger.send(fuel("e1", token: token))
        _ = try ledger.send(fuel("e2", minute: 1, revoked: true, token: token))
        _ = try ledger.send(fuel("e3", minute: 2, token: token))
        _ = try ledger.send(fuel("e4", minute: 3, transaction: "t2", token: token))
        let told = try acceptPurchases(ledger)
        #expect(
            told.map(\.delivery.type) == [.purchaseDelivered, .purchaseRevoked, .purchaseDelivered, .purchaseDelivered]
        )
        #expect(told.map { $0.purchase?.transaction?.transaction.id } == ["t1", "t1", "t1", "t2"])
        #expect(told.map { $0.cause.notice.event } == ["e1", "e2", "e3", "e4"])
        #expect(told[0].delivery.statedAt < told[1].delivery.statedAt)
        #expect(told[1].delivery.statedAt < told[2].delivery.statedAt)
        #expect(Set(told.map { $0.delivery.messageID(epoch: "e") }).count == 4)
        let first = told[0].delivery
        #expect(try ledger.tell { ledger.writer.submit(.resendHook(first.id, completion: $0)) })
        let again = try #require(try acceptPurchases(ledger).first).delivery
        #expect(again.statedAt == first.statedAt && again.id == first.id && again.position == first.position)
    }

    /// Of a user who buys a thousand times while an address is down, one message is due at a time, the oldest first.
    @Test func aUsersPurchasesWaitForEachOther() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
        for number in 1...5 { _ = try ledger.send(fuel("e\(number)", transaction: "t\(number)", token: token)) }
        let due = try ledger.hooks(to: PurchaseNewsTests.address)
        #expect(due.count == 1 && due.first?.purchase?.key.lineage == "t1")
        #expect(try ledger.deliveries(of: "42").filter { $0.contract > 0 }.count == 5)
    }

    /// A replay says nothing new, and neither does a restore of what is known.
    @Test func aReplayTellsNobody() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
        _ = try ledger.send(fuel("e1", token: token))
        _ = try ledger.send(fuel("e2", minute: 1, revoked: true, token: token))
        _ = try acceptPurchases(ledger)
        let before = try shown(ledger)
        let rebuild = try #require(try ledger.contract(1))
        var complete = rebuild
        complete.fold(fuel("e1", token: token))
        complete.fold(fuel("e2", minute: 1, revoked: true, token: token))
        _ = try ledger.replay(ReplayBatch(events: [fuel("e1", token: token)], rebuilds: [complete]))
        #expect(try ledger.send(fuel("e1", token: token), claim: Claim(user: "42")).outcome == .duplicate)
        #expect(try acceptPurchases(ledger).isEmpty)
        #expect(try shown(ledger) == before)
    }

    /// What waits about a purchase that went to a user who is erased goes with it, and so does what names the erased user.
    @Test(arguments: ["a", "b"] as [UserID]) func anErasureLeavesNoMessage(_ erased: UserID) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(fuel("e1", token: nil), claim: Claim(user: "a"))
        _ = try ledger.send(fuel("e2", minute: 1, token: nil), claim: Claim(user: "b"))
        #expect(try ledger.deliveries(of: "a").contains { $0.contract > 0 })
        try ledger.erase(erased)
        let left = try ledger.deliveries(of: "a") + ledger.deliveries(of: "b")
        #expect(left.allSatisfy { $0.contract == 0 } && left.contains { $0.type == .userErased })
        _ = try acceptPurchases(ledger)
    }

    @Test func eachAddressGetsItsTypes() throws {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: PurchaseNewsTests.address, types: [.purchaseRevoked])]
        let ledger = try TemporaryLedger(policy: policy)
        defer { ledger.remove() }
        _ = try ledger.send(fuel("e1", token: nil), claim: Claim(user: "42"))
        #expect(try ledger.hooks(to: PurchaseNewsTests.address).isEmpty)
        _ = try ledger.send(fuel("e2", minute: 1, revoked: true, token: nil))
        #expect(try ledger.hooks(to: PurchaseNewsTests.address).map(\.delivery.type) == [.purchaseRevoked])
    }

    /// It is news: who was there and missed it gets the newest, and who was not gets nothing.
    @Test func onlyWhoMissedItGetsIt() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
        let bought = try ledger.send(fuel("e1", token: token))
        let refunded = try ledger.send(fuel("e2", minute: 1, revoked: true, token: token))
        func purchases(since: Cursor?, limit: Int = 100) throws -> [Int64] {
            try ledger.missed("42", since: since, limit: limit).items.filter { item in
                item.fragments.contains { $0.target == "purchase" }
            }.map(\.position)
        }
        #expect(try purchases(since: placed.since) == [bought.cursor.position, refunded.cursor.position])
        #expect(try purchases(since: placed.since, limit: 1) == [refunded.cursor.position])
        #expect(try purchases(since: bought.cursor) == [refunded.cursor.position])
        #expect(try purchases(since: refunded.cursor).isEmpty)
        for since in [nil, Cursor("zzzzzzzz-1"), Cursor(epoch: ledger.writer.epoch, position: 1000)] {
            #expect(try purchases(since: since).isEmpty)
        }
    }

    /// A page whose cursor is older than the retention loads itself again.
    @Test func isNotKeptForEver() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let placed = try ledger.order(OrderRequest(user: "42", product: "fuel", token: token))
        let bought = try ledger.send(fuel("e1", token: token))
        let day = Duration.seconds(86_400)
        try ledger.setClock(to: Fixture.now + day * 40)
        _ = try ledger.send(Fixture.subscription("e2", state: .active, minute: 40 * 1440, key: Fixture.key("2")))
        try ledger.emptyOld(before: Fixture.now + day * 10)
        let missed = try ledger.missed("42", since: placed.since)
        #expect(missed.items.first { $0.position == bought.cursor.position }?.fragments.map(\.action).last == "refresh")
        #expect(try ledger.missed("42").items.isEmpty)
    }
}

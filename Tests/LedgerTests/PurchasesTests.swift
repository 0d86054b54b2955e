import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// The charges of users: whose they are, in which pages, and what the backend is told of them.
@Suite(.blocking) struct PurchasesTests {
    private static let address = "https://backend.example/hooks"
    private let token = OrderToken.random()

    private func ledger(
        _ transfers: TransferPolicy = .transfer,
        types: Set<HookType> = [.purchaseMade, .purchaseRefunded]
    ) throws -> TemporaryLedger {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: PurchasesTests.address, types: types)]
        policy.transfers = transfers
        return try TemporaryLedger(policy: policy)
    }

    /// A charge of a contract, `day` days after the start.
    private func charged(
        _ id: String,
        of lineage: String = "1",
        day: Int64 = 0,
        product: String = "monthly",
        refund: Charge.Refund? = nil,
        token: OrderToken? = nil,
        environment: StoreEnvironment = .production
    ) -> Event {
        let at = Fixture.now + .seconds(day * 86_400)
        let key = Fixture.key(lineage, environment: environment)
        var event = Fixture.subscription("e-\(id)-\(day)-\(refund == nil)", state: .active, token: token, key: key)
        event.environment = environment
        var charge = Transaction(id: id, product: product, purchasedAt: at, signedAt: at)
        charge.price = 9990
        charge.currency = "EUR"
        event.observation?.transaction = charge
        event.observation?.charges = [Charge(id: id, terms: ChargeTerms(charge, order: token), refund: refund)]
        event.signedAt = at
        return event
    }

    private func refund(day: Int64, amount: Int64? = nil) -> Charge.Refund {
        let at = Fixture.now + .seconds(day * 86_400)
        return Charge.Refund(at: at, amount: amount, isPartial: amount != nil, statedAt: at)
    }

    private func ids(_ ledger: TemporaryLedger, _ user: UserID, product: String? = nil) throws -> [String] {
        try ledger.purchases(of: user, product: product).map(\.charge.id)
    }

    /// Newest first, whatever the order of arrival, each once, and no page larger than its limit; many were made at one time.
    @Test(arguments: [1, 2, 3, 7]) func pagesHaveEachOnce(limit: Int) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let days: [Int64] = [3, 0, 1, 1, 1, 2, 1]
        for (index, day) in days.enumerated() {
            _ = try ledger.send(charged("\(index)", of: "\(index % 2)", day: day), claim: Claim(user: "42"))
        }
        let whole = try ledger.purchases(of: "42")
        #expect(whole.count == 7 && Set(whole.map(\.charge.id)).count == 7)
        let dates = whole.compactMap(\.charge.terms?.purchasedAt)
        #expect(dates == dates.sorted(by: >))
        var pages: [Purchase] = []
        var cursor: PurchaseCursor?
        repeat {
            let page = try ledger.reader.answer { [cursor] in try $0.purchases(of: "42", after: cursor, limit: limit) }
            #expect(page.purchases.count <= limit)
            pages += page.purchases
            cursor = try page.next.map { try #require(PurchaseCursor($0.description)) }
        } while cursor != nil
        #expect(pages == whole)
        #expect(try ids(ledger, "42", product: "annual").isEmpty && ids(ledger, "42", product: "monthly").count == 7)
        for text in ["", "1", "1_2", "1_2_3_4", "1_2_-3", "01_2_3", "a_b_c", "1_2_99999999999999999999"] {
            #expect(PurchaseCursor(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [TransferPolicy.transfer, .share, .keep]) func whoHoldsTheContractSeesTheCharge(
        _ policy: TransferPolicy
    ) throws {
        let ledger = try ledger(policy)
        defer { ledger.remove() }
        _ = try ledger.send(charged("t1"))
        #expect(try ids(ledger, "ann").isEmpty)
        _ = try ledger.send(charged("t2", day: 1), claim: Claim(user: "ann"))
        #expect(try ids(ledger, "ann") == ["t2", "t1"])
        _ = try ledger.send(charged("t2", day: 1), claim: Claim(user: "bob"))
        #expect(try ids(ledger, "ann") == (policy == .transfer ? [] : ["t2", "t1"]))
        #expect(try ids(ledger, "bob") == (policy == .keep ? [] : ["t2", "t1"]))
    }

    @Test func anErasureErasesThem() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(charged("t1", of: "1"), claim: Claim(user: "ann"))
        _ = try ledger.send(charged("t2", of: "2"), claim: Claim(user: "bob"))
        try ledger.erase("ann")
        #expect(try ids(ledger, "ann").isEmpty && ids(ledger, "bob") == ["t2"])
        #expect(try ledger.reader.answer { try $0.search("t1") }.isEmpty)
        #expect(try ledger.entries().entries.compactMap(\.notice.charge?.id) == ["t2"])
        // What the store says of it again brings nothing back.
        _ = try ledger.send(charged("t1", of: "1", day: 1))
        #expect(try ledger.reader.answer { try $0.search("t1") }.isEmpty)
    }

    /// The refund names another contract, as Stripe's does, and may come before the charge.
    @Test(arguments: [false, true]) func aRefundFindsItsCharge(refundIsFirst: Bool) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        var given = charged("t1", of: "payment", day: 2, refund: refund(day: 2, amount: 4000))
        given.observation?.charges[0].terms = nil
        let events = [charged("t1", of: "1", token: token), given]
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        for event in refundIsFirst ? events.reversed() : events { _ = try ledger.send(event) }
        let found = try ledger.purchases(of: "42")
        #expect(found.map(\.charge.refunded) == [4000] && found.map(\.contract.lineage) == ["1"])
        #expect(try told(ledger) == ["42 purchase.made t1 4000", "42 purchase.refunded t1 4000"])
    }

    /// Products that were bought together share a charge. What is stated with one of them is its own; what names none is of all.
    @Test func aRefundOfOneProductLeavesTheOthers() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        for (lineage, day) in [("1", 0), ("2", 3)] as [(String, Int64)] {
            _ = try ledger.send(charged("t1", of: lineage, day: day), claim: Claim(user: "42"))
        }
        _ = try told(ledger)
        _ = try ledger.send(charged("t1", of: "1", day: 4, refund: refund(day: 4, amount: 4000)))
        #expect(try ledger.purchases(of: "42").map(\.charge.refunded) == [nil, 4000])
        #expect(try told(ledger) == ["42 purchase.refunded t1 4000"])
        var void = charged("t1", of: "2", day: 5, refund: refund(day: 5))
        void.observation?.charges[0].terms = nil
        _ = try ledger.send(void)
        #expect(try ledger.purchases(of: "42").map(\.charge.refunded) == [9990, 9990])
        #expect(try told(ledger) == Array(repeating: "42 purchase.refunded t1 9990", count: 2))
    }

    /// What a backend brings here it has booked before, whether the ledger knew the purchase or not.
    @Test(arguments: [false, true]) func nobodyIsToldOfWhatIsImported(isKnown: Bool) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        if isKnown { _ = try ledger.send(charged("t0")) }
        _ = try ledger.send(charged("t1", day: 1), claim: Claim(user: "42", isAsked: false, isImported: true))
        #expect(try ids(ledger, "42") == (isKnown ? ["t1", "t0"] : ["t1"]))
        #expect(try told(ledger).isEmpty)
        _ = try ledger.send(charged("t2", day: 2))
        _ = try ledger.send(charged("t1", day: 3, refund: refund(day: 3)))
        #expect(try told(ledger) == ["42 purchase.made t2", "42 purchase.refunded t1 9990"])
    }

    /// Both are told at one position, and what fails is sent later.
    @Test func theRefundWaitsForItsCharge() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(charged("t1"))
        let given = charged("t1", day: 1, refund: refund(day: 1))
        _ = try ledger.send(given)
        _ = try ledger.send(given, claim: Claim(user: "42"))
        let due = try ledger.hooks(to: PurchasesTests.address)
        #expect(due.map(\.delivery.type) == [.purchaseMade])
        let made = try #require(due.first)
        try ledger.end(made, with: .retry(at: Fixture.now + .seconds(300), reason: "it answers 503"))
        #expect(try ledger.hooks(to: PurchasesTests.address).isEmpty)
        try ledger.setClock(to: Fixture.now + .seconds(301))
        #expect(try told(ledger) == ["42 purchase.made t1 9990", "42 purchase.refunded t1 9990"])
    }

    struct Story: Sendable, CustomTestStringConvertible {
        enum Step: Sendable { case charged(String, day: Int64), refunded(String, day: Int64), claimed(UserID), again }
        var testDescription: String
        var steps: [Step]
        var environment = StoreEnvironment.production
        var told: [String]
    }

    static let stories = [
        Story(
            testDescription: "each charge once",
            steps: [.charged("t1", day: 0), .claimed("a"), .again, .charged("t2", day: 1), .again],
            told: ["a purchase.made t1", "a purchase.made t2"]
        ),
        Story(
            testDescription: "an owner who comes later is told of all, and the next owner of none",
            steps: [.charged("t1", day: 0), .charged("t2", day: 1), .claimed("a"), .claimed("b")],
            told: ["a purchase.made t1", "a purchase.made t2"]
        ),
        Story(
            testDescription: "a refund is the present owner's",
            steps: [.charged("t1", day: 0), .claimed("a"), .claimed("b"), .refunded("t1", day: 2)],
            told: ["a purchase.made t1", "b purchase.refunded t1 9990"]
        ),
        Story(testDescription: "nobody's", steps: [.charged("t1", day: 0), .refunded("t1", day: 1)], told: []),
        Story(
            testDescription: "a Sandbox charge that the policy does not honor",
            steps: [.charged("t1", day: 0), .claimed("a"), .refunded("t1", day: 2)],
            environment: .sandbox,
            told: []
        ),
    ]

    @Test(arguments: stories) func theBackendIsTold(_ story: Story) throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        var last = charged("t1", environment: story.environment)
        var heard: [String] = []
        for step in story.steps {
            switch step {
            case .charged(let id, let day):
                last = charged(id, day: day, environment: story.environment)
                _ = try ledger.send(last)
            case .refunded(let id, let day):
                last = charged(id, day: day, refund: refund(day: day), environment: story.environment)
                _ = try ledger.send(last)
            case .claimed(let user): _ = try ledger.send(last, claim: Claim(user: user))
            case .again: _ = try ledger.send(last)
            }
            heard += try told(ledger)
        }
        #expect(heard == story.told)
    }

    /// `USER TYPE CHARGE REFUNDED` of each message, which is accepted.
    private func told(_ ledger: TemporaryLedger) throws -> [String] {
        var told: [String] = []
        while case let due = try ledger.hooks(to: PurchasesTests.address), !due.isEmpty {
            for hook in due {
                let refunded = hook.charge?.refunded.map { " \($0)" } ?? ""
                told.append(
                    "\(hook.delivery.user) \(hook.delivery.type.rawValue) \(hook.delivery.charge ?? "?")\(refunded)"
                )
                try ledger.end(hook, with: .accepted)
            }
        }
        return told
    }

    /// An address that does not ask for charges is told of none.
    @Test func onlyWhoAsksIsTold() throws {
        let ledger = try ledger(types: HookType.usual)
        defer { ledger.remove() }
        _ = try ledger.send(charged("t1"), claim: Claim(user: "42"))
        #expect(try ledger.hooks(to: PurchasesTests.address).map(\.delivery.type) == [.entitlementsChanged])
    }

    /// Events of before charges had rows: a replay makes them, and tells nobody.
    @Test func aReplayMakesTheRows() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        let events = [charged("t1"), charged("t2", day: 1)]
        for event in events {
            var old = event
            old.observation?.charges = []
            _ = try ledger.send(old, claim: Claim(user: "42"))
        }
        #expect(try ids(ledger, "42").isEmpty)
        var rebuild = try #require(try ledger.contract(1))
        for event in events { rebuild.fold(event) }
        #expect(try ledger.replay(ReplayBatch(rebuilds: [rebuild]), isTrial: true).outdated.isEmpty)
        #expect(try ids(ledger, "42").isEmpty)
        _ = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(try ids(ledger, "42") == ["t2", "t1"])
        #expect(try told(ledger).isEmpty)
    }

    /// All users' charges, contract by contract: those of a time, in bounded pages.
    @Test func thoseOfAll() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        for number in 0..<5 {
            let event = charged("t\(number)", of: "\(number)", day: Int64(number))
            _ = try ledger.send(event, claim: Claim(user: "u\(number)"))
        }
        _ = try ledger.send(charged("t0", of: "0", day: 9, refund: refund(day: 9)))
        let since = Fixture.now + .seconds(3 * 86_400)
        func page(after place: (Int64, String) = (0, ""), product: String? = nil, limit: Int = 5) throws -> (
            ids: [String], users: [UserID?], next: String?
        ) {
            let page = try ledger.reader.answer {
                try $0.purchases(since: since, product: product, after: place, limit: limit)
            }
            return (page.purchases.map(\.charge.id), page.purchases.map(\.user), page.next?.id)
        }
        #expect(try page().ids == ["t0", "t3", "t4"] && page().next == nil)
        #expect(try page().users == ["u0", "u3", "u4"])
        #expect(try page(after: (1, "t0")).ids == ["t3", "t4"])
        #expect(try page(limit: 2).ids == ["t0", "t3"] && page(limit: 2).next == "t3")
        #expect(try page(limit: 3).ids.count == 3 && page(limit: 3).next == nil)
        #expect(try page(product: "monthly").ids.count == 3 && page(product: "weekly").ids.isEmpty)
    }
}

import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

@Suite(.blocking) struct OrderTests {
    @Test func sameRequestGivesTheSameOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let request = OrderRequest(user: "42", product: "monthly", provider: .apple, kind: .subscription)
        let first = try ledger.order(request)
        #expect(first.isNew)
        let again = try ledger.order(request)
        #expect(again.order == first.order)
        #expect(!again.isNew)
        var other = request
        other.group = "premium"
        #expect(try ledger.order(other).order.token != first.order.token)
    }

    /// The order's token is a purchase's from then on: whoever took the next one for paid would deliver it unpaid.
    @Test(arguments: Use.all) func aUsedOrderIsNotHandedOutAgain(_ use: Use) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var request = OrderRequest(user: "42", product: "fuel", provider: .apple)
        request.kind = .consumable
        let first = try ledger.order(request).order.token
        #expect(try ledger.state(of: first) == .open)
        for event in use.events(first) { _ = try ledger.send(event) }
        #expect(try ledger.state(of: first) == use.state)
        let second = try ledger.order(request)
        #expect(second.isNew && second.order.token != first)
        #expect(try ledger.state(of: second.order.token) == .open)
        let again = try ledger.order(request)
        #expect(!again.isNew && again.order.token == second.order.token)
        #expect(try ledger.state(of: first) == use.state)
    }

    struct Use: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var state: OrderRecord.State
        var events: @Sendable (OrderToken) -> [Event]

        static let all = [
            Use(testDescription: "bought", state: .fulfilled) { [bought($0)] },
            Use(testDescription: "refunded", state: .refunded) { [bought($0), bought($0, revoked: true)] },
            Use(testDescription: "contradicted", state: .quarantined) {
                [Fixture.subscription("e1", state: .active, token: $0)]
            },
            Use(testDescription: "pending", state: .pending) { [waiting(.pending, $0)] },
            Use(testDescription: "never paid", state: .refunded) { [waiting(.pending, $0), waiting(.expired, $0)] },
        ]

        private static func bought(_ token: OrderToken, revoked: Bool = false) -> Event {
            let (id, minute) = revoked ? ("e2", Int64(1)) : ("e1", 0)
            return Fixture.purchase(
                id,
                kind: .consumable,
                product: "fuel",
                minute: minute,
                revoked: revoked,
                token: token
            )
        }

        private static func waiting(_ state: ContractState, _ token: OrderToken) -> Event {
            var event = bought(token)
            event.id = state.rawValue
            event.observation?.transaction = nil
            let at = state == .pending ? Instant(milliseconds: 0) : Fixture.now
            event.observation?.snapshot = Snapshot(
                state: state,
                product: "fuel",
                autoRenew: false,
                accessUntil: nil,
                signedAt: at
            )
            return event
        }
    }

    /// Requests and purchases that wait for the same transaction, in any order, share no token.
    @Test func aBatchHandsOutNoUsedToken() throws {
        var store = try TemporaryLedger.repository(AccessPolicy(sandboxUsers: .only([])))
        defer { store.file?.finish() }
        let request = OrderRequest(user: "42", product: "monthly")
        var preload = Preload()
        preload.add(request)
        try store.begin(reading: preload, keys: [], now: Fixture.now)
        var tokens: [OrderToken] = []
        for number in 1...3 {
            let place = { (unit: inout UnitOfWork) in try unit.place(request, token: .random()) }
            let placed = try #require(try store.decide(at: Fixture.now, by: place))
            let same = try #require(try store.decide(at: Fixture.now, by: place))
            #expect(placed.isNew && !same.isNew && same.order.token == placed.order.token)
            tokens.append(placed.order.token)
            let key = Fixture.key("\(number)")
            let event = Fixture.subscription("e\(number)", state: .active, token: placed.order.token, key: key)
            _ = try store.record(IncomingEvent(event, receivedAt: Fixture.now), now: Fixture.now)
        }
        try store.commit()
        #expect(Set(tokens).count == 3)
    }

    /// Many at once, from several threads: each purchase has a token of its own.
    @Test func requestsAtOnceGetOneOpenOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let request = OrderRequest(user: "42", product: "monthly")
        var tokens: Set<OrderToken> = []
        for round in 0..<3 {
            let answers = (0..<16).map { _ in Promise<Result<OrderResult, OrderError>>() }
            for answer in answers { #expect(ledger.writer.submit(.order(request, completion: answer.fulfil))) }
            let placed = try answers.map { try $0.wait().get() }
            #expect(placed.filter(\.isNew).count == 1 && Set(placed.map(\.order.token)).count == 1)
            let token = try #require(placed.first).order.token
            #expect(tokens.insert(token).inserted)
            _ = try ledger.send(
                Fixture.subscription("e\(round)", state: .active, token: token, key: Fixture.key("\(round)"))
            )
        }
    }

    /// A renewal carries the token of an order that was closed long ago.
    @Test func renewalsFindTheContractOfAClosedOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly"))
        let renewal = Fixture.subscription("e2", state: .active, minute: 5, until: .seconds(60 * 86_400), token: token)
        #expect(try ledger.send(renewal).outcome == .applied)
        #expect(try ledger.entitlements("42").contracts.count == 1)
        #expect(try ledger.state(of: token) == .fulfilled)
    }

    /// Another product than the order's was bought with it, and became another one since.
    @Test func saysWhatWasBought() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "annual")).order.token
        #expect(try ledger.record(of: token).bought == nil)
        _ = try ledger.send(Fixture.subscription("e1", state: .active, product: "monthly", token: token))
        #expect(try ledger.record(of: token).bought == "monthly")
        _ = try ledger.send(Fixture.subscription("e2", state: .active, minute: 1, product: "weekly", token: token))
        let record = try ledger.record(of: token)
        #expect(
            record.bought == "monthly" && record.order.product == "annual" && record.purchases[0].product == "weekly"
        )
    }

    /// An app that brings its own token gets its order, and the state says what has become of it.
    @Test func anOwnTokenStaysTheApps() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        _ = try ledger.order(request)
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        let again = try ledger.order(request)
        #expect(!again.isNew && again.order.token == token)
        #expect(try ledger.state(of: token) == .fulfilled)
        #expect(try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token != token)
    }

    @Test func tokenBelongsToOneUser() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let order = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        #expect(order.order.token == token)
        #expect(throws: OrderError.tokenTaken) {
            try ledger.order(OrderRequest(user: "43", product: "monthly", token: token))
        }
        #expect(try ledger.order(OrderRequest(user: "42", product: "monthly", token: token)).order == order.order)
    }

    @Test(arguments: LookAlike.all) func tokenIsNotGivenToALookAlike(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly", token: token))
        #expect(throws: OrderError.tokenTaken) {
            try ledger.order(OrderRequest(user: UserID(pair.other), product: "monthly", token: token))
        }
    }

    @Test(arguments: LookAlike.all) func purchaseIsNotShownToALookAlike(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        #expect(try ledger.entitlements(UserID(pair.one)).isActive)
        #expect(try !ledger.entitlements(UserID(pair.other)).isActive)
        #expect(try ledger.missed(UserID(pair.other)).items.isEmpty)
        let claimed = try ledger.send(
            Fixture.subscription("e2", state: .active, token: token),
            claim: Claim(user: UserID(pair.other))
        )
        #expect(claimed.claim != .granted)
    }

    /// One token may serve for everything that a user buys: no purchase contradicts it.
    @Test func tokenOfSeveralProductsStatesOnlyWhatTheyShare() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let first = OrderRequest(user: "42", product: "monthly", provider: .apple, group: "premium", token: token)
        let second = OrderRequest(user: "42", product: "news", provider: .apple, group: "news", token: token)
        _ = try ledger.order(first)
        let widened = try ledger.order(second).order
        #expect(widened.group == nil)
        #expect(widened.provider == .apple)
        for (id, group) in [("e1", "premium"), ("e2", "news")] {
            let event = Fixture.subscription(id, state: .active, token: token, group: group, key: Fixture.key(id))
            #expect(try ledger.send(event).outcome == .applied)
        }
    }

    /// The newest that its own user brought, whatever it came with.
    @Test func traceStaysWithTheOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let traces = ["1", "2", "3"].compactMap { TraceID(String(repeating: $0, count: 32)) }
        var request = OrderRequest(user: "42", product: "monthly", token: .random())
        request.trace = traces[0]
        let token = try ledger.order(request).order.token
        #expect(try ledger.send(Fixture.subscription("e1", state: .active, token: token)).trace == traces[0])
        request.trace = traces[1]
        let repeated = try ledger.order(request)
        #expect(repeated.order.token == token && !repeated.isNew)
        request.trace = nil
        #expect(try ledger.order(request).order.trace == traces[1])
        #expect(try ledger.send(Fixture.subscription("e2", state: .active, token: token)).trace == traces[1])
        let post = Fixture.subscription("e3", state: .active, token: token)
        #expect(try ledger.send(post, claim: Claim(user: "42", trace: traces[2])).trace == traces[2])
        let other = Fixture.subscription("e4", state: .active, token: token)
        _ = try ledger.send(other, claim: Claim(user: "43", trace: traces[0]))
        #expect(try ledger.order(request).order.trace == traces[2], "another user's does not count")
        #expect(try ledger.send(Fixture.subscription("e5", state: .active, key: Fixture.key("2"))).trace == nil)
    }

    @Test func orderClaimsEarlierEvents() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        #expect(try ledger.send(Fixture.subscription("e1", state: .active, token: token)).outcome == .unclaimed)
        let placed = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        let claim = try #require(try ledger.entries().entries.last)
        #expect(claim.notice.kind == .orderClaimed)
        #expect(claim.fragments.summary == ["paywall=success", "subscription_status=manage"])
        #expect(try ledger.missed("42", since: placed.since).items.map(\.position) == [claim.position])
        #expect(try ledger.entitlements("42").isActive)
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
    }

    @Test func orderDoesNotClaimContradictingEvents() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.order(OrderRequest(user: "42", product: "news", group: "news", token: token))
        #expect(try ledger.entitlements("42").contracts.isEmpty)
    }

    /// A migrated lineage and a purchase of the same download carry no token; whichever comes first, both belong to the
    /// user.
    @Test(arguments: [false, true])
    func relativesFollow(orderFirst: Bool) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        if orderFirst { _ = try ledger.order(request) }
        var events = [
            Fixture.subscription("e1", state: .expired, token: token, key: Fixture.key("1")),
            Fixture.subscription("e2", state: .active, minute: 1, key: Fixture.key("2")),
            Fixture.subscription("e3", state: .active, minute: 2, key: Fixture.key("3")),
        ]
        events[1].observation?.previousLineage = "1"
        events[1].observation?.account = "download"
        events[2].observation?.account = "download"
        for event in orderFirst ? events : events.reversed() { _ = try ledger.send(event) }
        if !orderFirst { _ = try ledger.order(request) }
        let held = try ledger.entitlements("42")
        #expect(Set(held.contracts.map(\.contract)) == ["1", "2", "3"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
    }
}

extension TemporaryLedger {
    fileprivate func record(of token: OrderToken) throws -> OrderRecord {
        try #require(try reader.answer { try $0.order(token).order })
    }

    fileprivate func state(of token: OrderToken) throws -> OrderRecord.State { try record(of: token).state }
}

import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Two devices with one store account: ann has bought, and bob is logged in on the other one. In whatever order things
/// arrive, nobody loses anything without a tap, and the same facts end in the same way.
@Suite struct ClaimStoriesTests {
    /// What arrives.
    enum Step: String {
        /// Ann's, whose token the purchase carries.
        case order
        /// The store's webhooks.
        case bought, renewed
        /// What the apps post of their own accord.
        case annPosts, bobPosts, bobPostsRenewal
        /// Bob restores.
        case bobTaps
    }

    enum Token { case ordered, unknown, none }

    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var token: Token
        var steps: [Step]
    }

    private static let stories = [
        Story(
            testDescription: "an order's token",
            token: .ordered,
            steps: [.order, .bought, .annPosts, .bobPosts, .bobPostsRenewal, .renewed]
        ),
        Story(
            testDescription: "an order's token, and a restore",
            token: .ordered,
            steps: [.order, .bought, .annPosts, .bobPosts, .bobPostsRenewal, .bobTaps]
        ),
        Story(
            testDescription: "a token of nobody's",
            token: .unknown,
            steps: [.bought, .annPosts, .bobPosts, .bobPostsRenewal, .renewed]
        ),
        Story(
            testDescription: "a token of nobody's, and a restore",
            token: .unknown,
            steps: [.bought, .annPosts, .bobPosts, .bobPostsRenewal, .bobTaps]
        ),
        Story(
            testDescription: "no token",
            token: .none,
            steps: [.bought, .annPosts, .bobPosts, .bobPostsRenewal, .renewed]
        ),
        Story(
            testDescription: "no token, and a restore",
            token: .none,
            steps: [.bought, .annPosts, .bobPosts, .bobPostsRenewal, .bobTaps]
        ),
    ]

    @Test(arguments: stories, TransferPolicy.allCases)
    func nobodyLosesWithoutATap(_ story: Story, policy: TransferPolicy) throws {
        let policyOfLedger = AccessPolicy(sandboxUsers: .only([]), transfers: policy)
        var store = try TemporaryLedger.repository(policyOfLedger)
        // In PostgreSQL, each question is a round trip.
        let rounds = story.steps.permutations.enumerated().filter {
            TemporaryLedger.isInPostgres ? $0.offset % 41 == 0 : GeneratedCases.take($0.offset, oneOf: 17)
        }
        for (number, steps) in rounds {
            for provider in [Provider.apple, .google] {
                var run = Run(story, at: provider, number: number)
                try store.begin()
                for step in steps { try run.take(step, in: &store) }
                try store.commit()
                let expected = Self.holders(of: story, in: steps, policy: policy)
                try #require(run.holders == expected, "\(provider) \(steps)")
            }
        }
    }

    /// Who holds it in the end.
    private static func holders(of story: Story, in steps: [Step], policy: TransferPolicy) -> [String] {
        let owner = story.token == .ordered ? "ann" : steps.compactMap(\.poster).first
        guard let owner else { return [] }
        guard steps.contains(.bobTaps), owner == "ann" else { return [owner] }
        return switch policy {
        case .transfer: ["bob"]
        case .share: ["ann", "bob"]
        // It is active.
        case .keep, .transferIfInactive: ["ann"]
        }
    }

    /// One purchase, as it arrives in one order.
    private struct Run {
        private let story: Story
        private let key: ContractKey
        private let token = OrderToken.random()
        private var now = Fixture.now + .seconds(7200)
        private(set) var holders: [String] = []

        init(_ story: Story, at provider: Provider, number: Int) {
            self.story = story
            key = Fixture.key("\(number)", provider: provider)
        }

        mutating func take(_ step: Step, in store: inout LedgerRepository) throws {
            now = now + .seconds(60)
            let before = holders
            let claim = step.poster.map { Claim(user: user($0), isVouched: false, isAsked: step == .bobTaps) }
            var answer: ClaimOutcome?
            if step == .order {
                let request = OrderRequest(user: user("ann"), product: "monthly", token: token)
                _ = try store.decide(at: now) { try $0.place(request, token: token) }
            } else {
                let incoming = IncomingEvent(event(step), claim: claim, receivedAt: now)
                answer = try store.decide(at: now) { try $0.record(incoming) }.claim
            }
            let tracked = try store.decide(at: now) { unit in try unit.ledger.contract(key) }
            holders = (tracked?.holders ?? []).map { String($0.text.drop { $0 != "-" }.dropFirst()) }
            let lost = before.filter { !holders.contains($0) }
            // What ann's order shows to be hers was never bob's.
            let isAnns = story.token == .ordered && holders.first == "ann"
            try #require(lost.isEmpty || step == .bobTaps || lost == ["bob"] && isAnns, "\(step): \(before) \(holders)")
            guard let poster = step.poster else { return }
            let isTheirs = holders.contains(poster)
            try #require(answer?.holder == (isTheirs ? .yours : holders.isEmpty ? .nobody : .others), "\(step)")
        }

        private func user(_ name: String) -> UserID { UserID("\(key.provider.rawValue)\(key.lineage)-\(name)") }

        private func event(_ step: Step) -> Event {
            let isRenewal = step == .renewed || step == .bobPostsRenewal
            let at = Fixture.now + .seconds(isRenewal ? 3600 : 0)
            let until = at + .seconds(60 * 86_400)
            var charge = Transaction(id: isRenewal ? "2" : "1", product: "monthly", purchasedAt: at, signedAt: at)
            charge.expiresAt = until
            var observation = Observation(contract: key, kind: .subscription)
            observation.group = "premium"
            observation.token = story.token == .none ? nil : token
            observation.isPurchase = !isRenewal
            observation.transaction = charge
            // Of what an app posts, Apple says no more.
            if step.poster == nil || key.provider == .google {
                let product = charge.product
                observation.snapshot = Snapshot(
                    state: .active,
                    product: product,
                    autoRenew: true,
                    accessUntil: until,
                    signedAt: at
                )
            }
            // Both devices may post the same.
            let id = "\(step.poster == nil ? step.rawValue : "post") \(charge.id) \(key.lineage)"
            return Fixture.event(id, observation: observation)
        }
    }
}

extension ClaimStoriesTests.Step {
    /// Who posts it; nil for what no app posts.
    fileprivate var poster: String? {
        switch self {
        case .order, .bought, .renewed: nil
        case .annPosts: "ann"
        case .bobPosts, .bobPostsRenewal, .bobTaps: "bob"
        }
    }
}

extension Array {
    var permutations: [[Element]] {
        guard let last else { return [[]] }
        return Array(dropLast()).permutations.flatMap { rest in
            (0...rest.count).map { place in
                var longer = rest
                longer.insert(last, at: place)
                return longer
            }
        }
    }
}

/// What follows from other contracts of the same buyer.
extension ClaimStoriesTests {
    private static func purchase(
        _ id: String,
        lineage: String,
        minute: Int64,
        token: OrderToken? = nil,
        account: String? = "download",
        previous: String? = nil
    ) -> Event {
        var event = Fixture.subscription(id, state: .active, minute: minute, token: token, key: Fixture.key(lineage))
        event.observation?.account = account
        event.observation?.previousLineage = previous
        event.observation?.isPurchase = true
        return event
    }

    /// Ann bought something else with the store account before bob's app posted what names no user.
    @Test(arguments: [false, true]) func whatTheAccountBoughtBeforeDecides(isPostFirst: Bool) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "ann", product: "monthly")).order.token
        let bought = Self.purchase("e1", lineage: "1", minute: 0, token: token)
        let found = Self.purchase("e2", lineage: "2", minute: 1)
        if !isPostFirst { _ = try ledger.send(bought) }
        let posted = try ledger.send(found, claim: Claim(user: "bob", isAsked: false))
        #expect(posted.claim == (isPostFirst ? .granted : .untouched))
        if isPostFirst { _ = try ledger.send(bought) }
        #expect(try ledger.record("ann").contracts.count == 2)
        #expect(try ledger.entitlements("bob").contracts.isEmpty)
        // He taps, and the policy decides.
        #expect(try ledger.send(found, claim: Claim(user: "bob")).claim == .moved)
    }

    @Test func whatTheAccountBuysLaterTakesNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(Self.purchase("e1", lineage: "1", minute: 0), claim: Claim(user: "bob", isAsked: false))
        let token = try ledger.order(OrderRequest(user: "ann", product: "monthly")).order.token
        _ = try ledger.send(Self.purchase("e2", lineage: "2", minute: 5, token: token))
        #expect(try ledger.record("bob").contracts.map(\.tracked.key.lineage) == ["1"])
        #expect(try ledger.record("ann").contracts.map(\.tracked.key.lineage) == ["2"])
    }

    /// Another plan at Google is another contract, which names the one before.
    @Test func anotherPlanStaysWithWhoHadTheFirst() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let first = Self.purchase("e1", lineage: "1", minute: 0, account: nil)
        _ = try ledger.send(first, claim: Claim(user: "bob", isAsked: false))
        let next = Self.purchase("e2", lineage: "2", minute: 5, account: nil, previous: "1")
        #expect(try ledger.send(next).outcome == .applied)
        #expect(try ledger.send(next, claim: Claim(user: "ann", isAsked: false)).claim == .untouched)
        #expect(try ledger.record("bob").contracts.count == 2)
        #expect(
            try ledger.send(next, claim: Claim(user: "ann"), receivedAt: Fixture.now + .seconds(600)).claim == .moved
        )
        #expect(try ledger.record("bob").contracts.map(\.tracked.key.lineage) == ["1"])
    }

    /// What nobody asked for is known the next time as well: then the policy keeps it for its user.
    @Test func theFirstPostIsKept() throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), transfers: .keep)
        var ledger = try TemporaryLedger(policy: policy)
        let event = Self.purchase("e1", lineage: "1", minute: 0)
        _ = try ledger.send(event, claim: Claim(user: "ann", isAsked: false))
        ledger.close()
        ledger = try TemporaryLedger(at: ledger.path, policy: policy)
        defer { ledger.remove() }
        let held = try ledger.record("ann").contracts.map(\.tracked)
        #expect(held.map(\.unasked) == [.unasked(by: "ann", at: Fixture.now)] && held.map(\.userAt) == [nil])
        let later = Fixture.now + .seconds(60)
        #expect(
            try ledger.send(event, claim: Claim(user: "bob", isAsked: false), receivedAt: later).claim == .untouched
        )
        #expect(try ledger.send(event, claim: Claim(user: "bob"), receivedAt: later).claim == .refused)
        #expect(try ledger.entitlements("ann").isActive)
    }

    /// An order that comes with a post binds nothing that nobody asked for: the purchase's own may be known later.
    @Test func anOrderThatComesAlongIsNotBound() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let bobs = try ledger.order(OrderRequest(user: "bob", product: "monthly")).order.token
        let event = Self.purchase("e1", lineage: "1", minute: 0, token: token)
        let claim = Claim(user: "bob", order: bobs, isAsked: false)
        #expect(try ledger.send(event, claim: claim, receivedAt: Fixture.now + .seconds(60)).claim == .granted)
        _ = try ledger.order(OrderRequest(user: "ann", product: "monthly", token: token))
        #expect(try ledger.entitlements("ann").isActive)
        #expect(try ledger.entitlements("bob").contracts.isEmpty)
    }

    /// A device that tells of another's purchase again and again must not be told that it is not delivered.
    @Test(arguments: [true, false]) func anothersPurchaseMayBeFinished(isAsked: Bool) throws {
        let ledger = try TemporaryLedger(policy: AccessPolicy(sandboxUsers: .only([]), transfers: .keep))
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "ann", product: "monthly")).order.token
        _ = try ledger.send(Self.purchase("e1", lineage: "1", minute: 0, token: token))
        var posted = Self.purchase("e2", lineage: "1", minute: 1, token: token)
        posted.jobs = [Job(kind: .finish, provider: .apple, environment: .production, app: "app", subject: "1")]
        _ = try ledger.send(posted, claim: Claim(user: "bob", isAsked: isAsked))
        #expect(try ledger.jobs(dueAt: Fixture.now + .seconds(600)).map(\.job.kind) == (isAsked ? [] : [.finish]))
    }
}

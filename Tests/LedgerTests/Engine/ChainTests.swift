import Domain
import TestSupport
import Testing

@testable import Rules

/// A chain of contracts, each of which replaced the one before, as Google links a purchase to the one that it replaced.
/// A question for each link would begin the decision again hundreds of times.
@Suite struct ChainTests {
    private static let length = 300

    /// The owner of the first contract becomes that of all.
    @Test func anOwnerGoesDownAChainInFewAttempts() {
        let token = OrderToken.random()
        var memory = ChainTests.chain(boughtWith: token)
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        let entries = memory.decide(at: Fixture.now) { unit throws(Missing) in
            _ = try unit.place(request, token: token)
        }
        #expect(entries.count == ChainTests.length && entries.allSatisfy { $0.notice.user == "42" })
        #expect(memory.attempts < 12)
        // Of each contract: its facts, what replaced it, and its lines.
        #expect(memory.loads < 3 * ChainTests.length + 20)
    }

    /// Nobody owns the chain, so its newest contract is as far from an owner as can be.
    @Test func aChainIsSearchedForAnOwnerInFewAttempts() {
        var memory = ChainTests.chain(boughtWith: OrderToken.random())
        let entries = memory.record(ChainTests.link(ChainTests.length))
        #expect(entries.map(\.notice.outcome) == [.unclaimed])
        #expect(memory.attempts < 12)
        #expect(memory.loads < ChainTests.length + 20)
    }

    /// The search ends at the nearest owner.
    @Test func noMoreIsLoadedThanIsDecidedUpon() {
        var memory = ChainTests.chain(boughtWith: OrderToken.random())
        let (first, token) = (ChainTests.length, OrderToken.random())
        _ = memory.decide(at: Fixture.now) { unit throws(Missing) in
            _ = try unit.place(OrderRequest(user: "43", product: "monthly", token: token), token: token)
        }
        _ = memory.record(ChainTests.link(first, token: token))
        let entries = memory.record(ChainTests.link(first + 1))
        #expect(entries.map(\.notice.user) == ["43"])
        #expect(memory.loads < 12)
    }

    /// A user whom the store names was renamed many times.
    @Test func transfersAreFollowedInFewAttempts() {
        var memory = MemoryEngine(policy: AccessPolicy(sandboxUsers: .only([])))
        for number in 0..<50 {
            var event = Fixture.event("t\(number)", kind: .contractTransferred, observation: nil)
            event.provider = .revenuecat
            event.signedAt = Fixture.now + .seconds(Int64(number))
            event.transfer = Transfer(from: [UserID("\(number)")], to: UserID("\(number + 1)"))
            _ = memory.record(event)
        }
        let key = Fixture.key(provider: .revenuecat)
        var event = Fixture.subscription("e", state: .active, key: key)
        event.observation?.user = "0"
        #expect(memory.record(event).map(\.notice.user) == ["50"])
        #expect(memory.attempts < 12)
        #expect(memory.loads < 70)
    }
}

extension ChainTests {
    /// An engine with the contracts; the order of the first one has not been made.
    private static func chain(boughtWith token: OrderToken) -> MemoryEngine {
        var memory = MemoryEngine(policy: AccessPolicy(sandboxUsers: .only([])))
        for number in 0..<length { _ = memory.record(link(number, token: number == 0 ? token : nil)) }
        return memory
    }

    private static func link(_ number: Int, token: OrderToken? = nil) -> Event {
        let key = Fixture.key("\(number)", provider: .google)
        var event = Fixture.subscription("e\(number)", state: .active, token: token, key: key)
        event.observation?.previousLineage = number == 0 ? nil : "\(number - 1)"
        return event
    }
}

extension MemoryEngine {
    fileprivate mutating func record(_ event: Event) -> [Entry] {
        decide(at: Fixture.now) { unit throws(Missing) in
            _ = try unit.record(IncomingEvent(event, receivedAt: Fixture.now))
        }
    }
}

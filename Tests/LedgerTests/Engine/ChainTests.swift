import TestSupport
import Testing

@testable import Domain

/// A chain of contracts, each of which replaced the one before, as Google links a purchase to the one that it replaced.
/// A decision reads each link once.
@Suite struct ChainTests {
    private static let length = 300

    /// The owner of the first contract becomes that of all.
    @Test func anOwnerGoesDownAChain() throws {
        let token = OrderToken.random()
        let memory = try ChainTests.chain(boughtWith: token)
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        let entries = try memory.decide(at: Fixture.now) { unit in
            _ = try unit.place(request, token: token)
        }
        #expect(entries.count == ChainTests.length && entries.allSatisfy { $0.notice.user == "42" })
        // Of each contract: its facts, what replaced it, and its lines.
        #expect(memory.reads < 3 * ChainTests.length + 20)
    }

    /// Nobody owns the chain, so its newest contract is as far from an owner as can be.
    @Test func aChainIsSearchedForAnOwner() throws {
        let memory = try ChainTests.chain(boughtWith: OrderToken.random())
        let entries = try memory.record(ChainTests.link(ChainTests.length))
        #expect(entries.map(\.notice.outcome) == [.unclaimed])
        #expect(memory.reads < ChainTests.length + 20)
    }

    /// The search ends at the nearest owner.
    @Test func noMoreIsReadThanIsDecidedUpon() throws {
        let memory = try ChainTests.chain(boughtWith: OrderToken.random())
        let (first, token) = (ChainTests.length, OrderToken.random())
        _ = try memory.decide(at: Fixture.now) { unit in
            _ = try unit.place(OrderRequest(user: "43", product: "monthly", token: token), token: token)
        }
        _ = try memory.record(ChainTests.link(first, token: token))
        let entries = try memory.record(ChainTests.link(first + 1))
        #expect(entries.map(\.notice.user) == ["43"])
        #expect(memory.reads < 12)
    }

    /// A user whom the store names was renamed many times.
    @Test func transfersAreFollowed() throws {
        let memory = MemoryEngine(policy: AccessPolicy(sandboxUsers: .only([])))
        for number in 0..<50 {
            var event = Fixture.event("t\(number)", kind: .contractTransferred, observation: nil)
            event.provider = .revenuecat
            event.signedAt = Fixture.now + .seconds(Int64(number))
            event.transfer = Transfer(from: [UserID("\(number)")], to: UserID("\(number + 1)"))
            _ = try memory.record(event)
        }
        let key = Fixture.key(provider: .revenuecat)
        var event = Fixture.subscription("e", state: .active, key: key)
        event.observation?.user = "0"
        #expect(try memory.record(event).map(\.notice.user) == ["50"])
        #expect(memory.reads < 70)
    }
}

extension ChainTests {
    /// An engine with the contracts; the order of the first one has not been made.
    private static func chain(boughtWith token: OrderToken) throws -> MemoryEngine {
        let memory = MemoryEngine(policy: AccessPolicy(sandboxUsers: .only([])))
        for number in 0..<length { _ = try memory.record(link(number, token: number == 0 ? token : nil)) }
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
    fileprivate func record(_ event: Event) throws -> [Entry] {
        try decide(at: Fixture.now) { _ = try $0.record(IncomingEvent(event, receivedAt: Fixture.now)) }
    }
}

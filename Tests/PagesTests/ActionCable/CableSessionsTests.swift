import Support
import Testing

@testable import Pages

@Suite struct CableSessionsTests {
    /// What one client may name: 100 identifiers of 4 KB.
    private func heaviest() throws -> [KeptSubscription] {
        let identifier = try #require(CableIdentifier(String(repeating: "x", count: 4096)))
        return Array(repeating: KeptSubscription(identifier, arrived: 7), count: 100)
    }

    @Test func heavySessionsPushOutTheOldest() throws {
        let sessions = CableSessions()
        let subscriptions = try heaviest()
        for number in 0..<1000 { sessions.keep(subscriptions, as: "\(number)") }
        #expect(sessions.heldBytes <= CableSessions.byteLimit)
        #expect(sessions.take("0") == nil)
        #expect(sessions.take("999") == subscriptions)
    }

    @Test func endedSessionsLeaveWithTheNextOne() throws {
        let sessions = CableSessions()
        for number in 0..<10 { sessions.keep(try heaviest(), as: "\(number)", now: 0) }
        let one = KeptSubscription(try #require(CableIdentifier("{}")))
        sessions.keep([one], as: "late", now: 0 + CableSessions.lifetimeNanoseconds)
        #expect(sessions.heldBytes < 1000)
    }

    @Test func sessionKeptAnewOutlivesItsFirstEnd() throws {
        let sessions = CableSessions()
        let one = KeptSubscription(try #require(CableIdentifier("{}")))
        sessions.keep([one], as: "a", now: 0)
        sessions.keep([one], as: "a", now: 10)
        sessions.keep([one], as: "b", now: 0 + CableSessions.lifetimeNanoseconds)
        #expect(sessions.take("a", now: 0 + CableSessions.lifetimeNanoseconds) == [one])
        #expect(sessions.take("a", now: 0 + CableSessions.lifetimeNanoseconds) == nil)
    }
}

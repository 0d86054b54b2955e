import Support
import Testing

@testable import Domain
@testable import Ledger

@Suite struct RecentStatesTests {
    /// One user too many costs the oldest: otherwise the next message to every user's backend would read the ledger.
    @Test func forgetsTheOldestAndNotAll() {
        let states = RecentStates(addresses: 1)
        let users = (0..<10_000).map { UserID("u\($0)") }
        for user in users {
            let state = EntitlementSet(user: user, held: [], policy: AccessPolicy(sandboxUsers: .only([])))
            states.remember([HookRecord(type: .entitlementsChanged, user: user, position: 1, state: state)])
        }
        let known = users.filter { states.take($0, at: 1, now: Instant(milliseconds: 0)) != nil }
        #expect((RecentStates.limit / 2...RecentStates.limit).contains(known.count))
        #expect(known == Array(users.suffix(known.count)))
    }

    @Test func eachAddressTakesItOnce() {
        let states = RecentStates(addresses: 2)
        let state = EntitlementSet(user: "u", held: [], policy: AccessPolicy(sandboxUsers: .only([])))
        states.remember([HookRecord(type: .entitlementsChanged, user: "u", position: 1, state: state)])
        let taken = (0..<3).map { _ in states.take("u", at: 1, now: Instant(milliseconds: 0)) != nil }
        #expect(taken == [true, true, false])
    }
}

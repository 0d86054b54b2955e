import TestSupport
import Testing

@testable import Domain

@Suite struct UserIDTests {
    @Test(arguments: LookAlike.all) func usersAreTheirBytes(_ pair: LookAlike) {
        #expect(pair.one == pair.other, "Unicode calls them alike")
        #expect(UserID(pair.one) != UserID(pair.other))
        #expect(Set([UserID(pair.one), UserID(pair.other), UserID(pair.one)]).count == 2)
        #expect((UserID(pair.one) < UserID(pair.other)) != (UserID(pair.other) < UserID(pair.one)))
    }

    @Test(arguments: LookAlike.all) func streamsAreTheirBytes(_ pair: LookAlike) throws {
        let pattern = StreamPattern.standard
        let one = try #require(pattern.stream(for: UserID(pair.one)))
        let other = try #require(pattern.stream(for: UserID(pair.other)))
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
        #expect(pattern.user(of: one) == UserID(pair.one))
        #expect(pattern.user(of: other) == UserID(pair.other))
    }

    @Test(arguments: LookAlike.all) func targetsAreTheirBytes(_ pair: LookAlike) throws {
        let stream = try #require(StreamName("s"))
        let keys = [pair.one, pair.other].map {
            Fragment(stream: stream, action: "replace", target: $0, content: .html("x")).collapseKey
        }
        #expect(keys[0] != keys[1])
    }

    @Test(arguments: LookAlike.all) func sandboxUsersAreTheirBytes(_ pair: LookAlike) {
        let policy = AccessPolicy(sandboxUsers: .only([UserID(pair.one)]))
        #expect(policy.opensAccess(for: UserID(pair.one), in: .sandbox))
        #expect(!policy.opensAccess(for: UserID(pair.other), in: .sandbox))
    }

    @Test(arguments: LookAlike.all) func aContractIsHeldByOneOfThem(_ pair: LookAlike) {
        let facts = [(pair.one, Int64(1)), (pair.other, 2)].map { user, seconds in
            Ownership.Fact(user: UserID(user), at: Instant(milliseconds: seconds * 1000), ground: .purchase)
        }
        #expect(Ownership(facts, policy: .share)?.users.map(\.text.utf8.count) == facts.map(\.user.text.utf8.count))
        #expect(Ownership(facts, policy: .transfer)?.users == [UserID(pair.other)])
    }
}

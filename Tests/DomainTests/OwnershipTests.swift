import Testing

@testable import Domain

@Suite struct OwnershipTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// `user@time`: a purchase; with `!` a claim while access ran, with `?` one while it did not; with `~` what the user's
        /// app posted unasked.
        var facts: String
        /// Under `transfer`, `transfer_if_inactive`, `keep` and `share`.
        var users: [String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "nothing is known", facts: "", users: ["", "", "", ""]),
        Case(name: "bought", facts: "a@1", users: ["a", "a", "a", "a"]),
        Case(name: "claimed while active", facts: "a@1 b!2", users: ["b", "a", "a", "a b"]),
        Case(name: "claimed after it lapsed", facts: "a@1 b?2", users: ["b", "b", "a", "a b"]),
        Case(name: "claimed first", facts: "b!2 a@3", users: ["a", "a", "b", "b a"]),
        Case(name: "bought by another one", facts: "a@1 b@2", users: ["b", "b", "a", "a b"]),
        Case(name: "there and back", facts: "a?1 b?2 c?3", users: ["c", "c", "a", "a b c"]),
        Case(name: "at the same time a purchase is first", facts: "b?1 a@1", users: ["b", "b", "a", "a b"]),
        Case(name: "two purchases at the same time", facts: "b@1 a@1", users: ["b", "b", "a", "a b"]),
        Case(name: "claims at the same time as access ends", facts: "a!1 b?1", users: ["a", "b", "b", "b a"]),
        Case(name: "the same, by the other one", facts: "b!1 a?1", users: ["b", "a", "a", "a b"]),
        Case(name: "nobody asked", facts: "a~1 b~2", users: ["", "", "", ""]),
        Case(name: "another one asks while it is active", facts: "a~1 b!2", users: ["b", "a", "a", "a b"]),
        Case(name: "another one asks after it lapsed", facts: "a~1 b?2", users: ["b", "b", "a", "a b"]),
        Case(name: "the first one asks as well", facts: "a~1 a!2 b!3", users: ["b", "a", "a", "a b"]),
        Case(name: "it was asked for before", facts: "a!1 b~2", users: ["a", "a", "a", "a"]),
        Case(name: "only the first one had it", facts: "a~1 b~2 c!3", users: ["c", "a", "a", "a c"]),
        Case(name: "it turns out to be bought", facts: "a~2 b@1", users: ["b", "b", "b", "b"]),
        Case(name: "it is bought again", facts: "a~1 b@2", users: ["b", "b", "b", "b"]),
        Case(name: "it turns out so after another one asked", facts: "a~2 c!3 b@1", users: ["c", "b", "b", "b c"]),
    ])
    func holders(_ given: Case) {
        let facts = given.facts.split(separator: " ").map(Self.fact)
        for (policy, users) in zip(TransferPolicy.allCases, given.users) {
            for facts in [facts, facts.reversed()] {
                let owned = Ownership(facts, policy: policy)
                #expect(owned?.users.map(\.text).joined(separator: " ") ?? "" == users, "\(policy.rawValue)")
            }
        }
    }

    @Test func sharedByAHundredAtTheMost() {
        let facts = (0..<200).map {
            Ownership.Fact(user: "\($0)", at: Instant(milliseconds: $0), ground: .claim(whileActive: true))
        }
        #expect(Ownership(facts, policy: .share)?.users == (0..<100).map { UserID("\($0)") })
    }

    private static func fact(_ text: Substring) -> Ownership.Fact {
        let ground: Ownership.Fact.Ground =
            switch text.dropFirst().first {
            case "!": .claim(whileActive: true)
            case "?": .claim(whileActive: false)
            case "~": .unasked
            default: .purchase
            }
        let at = Int64(text.dropFirst(2)) ?? 0
        return Ownership.Fact(user: UserID(String(text.prefix(1))), at: Instant(milliseconds: at), ground: ground)
    }
}

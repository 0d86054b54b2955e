import Domain
import Stores
import Testing

/// A grant as an event, and back from the body that the ledger keeps.
@Suite struct GrantTests {
    private static let now = Instant(milliseconds: 1_772_366_400_000)
    private static let end = now + .seconds(30 * 86_400)

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var grant: Grant
        var event: String
        var kind: EventKind
        /// Where the contract stands a minute later.
        var state: ContractState
        var accessUntil: Instant?
    }

    private static func grant(until: Instant?, revokedAt: Instant? = nil) -> Grant {
        var grant = Grant(
            id: "0123456789abcdef0123456789abcdef",
            user: "gid://shop/User/42 \u{212A} \"\\",
            product: "pro",
            grantedAt: now,
            reason: "ticket 7"
        )
        (grant.group, grant.until, grant.revokedAt) = ("plans", until, revokedAt)
        return grant
    }

    private static let id = "0123456789abcdef0123456789abcdef"

    @Test(arguments: [
        Case(
            testDescription: "for a month",
            grant: grant(until: end),
            event: id,
            kind: .accessGranted,
            state: .cancelled,
            accessUntil: end
        ),
        Case(
            testDescription: "for ever",
            grant: grant(until: nil),
            event: id,
            kind: .accessGranted,
            state: .owned
        ),
        Case(
            testDescription: "for half a minute",
            grant: grant(until: now + .seconds(30)),
            event: id,
            kind: .accessGranted,
            state: .expired,
            accessUntil: now + .seconds(30)
        ),
        Case(
            testDescription: "for a month, taken back",
            grant: grant(until: end, revokedAt: now + .seconds(5)),
            event: id + "-revoked-1772366400000",
            kind: .accessRevoked,
            state: .revoked,
            accessUntil: now + .seconds(5)
        ),
        Case(
            testDescription: "for ever, taken back",
            grant: grant(until: nil, revokedAt: now + .seconds(5)),
            event: id + "-revoked-1772366400000",
            kind: .accessRevoked,
            state: .revoked,
            accessUntil: now + .seconds(5)
        ),
        Case(
            testDescription: "taken back in the same millisecond",
            grant: grant(until: end).revoked(at: now, reason: "a mistake"),
            event: id + "-revoked-1772366400000",
            kind: .accessRevoked,
            state: .revoked,
            accessUntil: now + .milliseconds(1)
        ),
        Case(
            testDescription: "taken back by a clock that is behind",
            grant: grant(until: nil).revoked(at: now - .seconds(60), reason: "a mistake"),
            event: id + "-revoked-1772366400000",
            kind: .accessRevoked,
            state: .revoked,
            accessUntil: now + .milliseconds(1)
        ),
    ])
    func saysAsAnEvent(_ given: Case) throws {
        let event = given.grant.event
        #expect(event.id == given.event && event.kind == given.kind && event.provider == .paycast)
        let observation = try #require(event.observation)
        var contract = Contract(key: observation.contract, kind: observation.kind)
        // The grant itself comes late, or first.
        var granted = given.grant
        granted.revokedAt = nil
        let said = [event, granted.event].compactMap(\.observation)
        for order in [said, said.reversed()] {
            contract = Contract(key: observation.contract, kind: observation.kind)
            for (index, observation) in order.enumerated() {
                _ = contract.apply(observation, event: "\(index)", signedAt: Self.now)
            }
            let status = try #require(contract.status(at: Self.now + .seconds(60)))
            #expect(status.state == given.state && status.accessUntil == given.accessUntil, "\(status)")
            #expect(status.product == "pro" && contract.group?.value == "plans")
        }
        let stored = StoredDelivery(
            id: event.id,
            body: event.body,
            environment: event.environment,
            app: event.app,
            receivedAt: Self.now
        )
        #expect(try GrantReader().interpret(stored) == event)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"grant":"1","user":"42","product":"pro","reason":"x"}"#, #"{"grant":1}"#,
    ])
    func anotherBodyIsNoGrant(_ body: String) {
        let stored = StoredDelivery(
            id: "1",
            body: Array(body.utf8),
            environment: .production,
            app: "paycast",
            receivedAt: Self.now
        )
        #expect(throws: VerificationError.malformed(.invalidPayload)) { try GrantReader().interpret(stored) }
    }

    @Test func idsFollowFromTheKeyAndTheUser() throws {
        let key = try #require(IdempotencyKey(header: "ticket-7"))
        let other = try #require(IdempotencyKey(header: "ticket-8"))
        let id = Grant.id(for: "42", key: key)
        #expect(id.utf8.count == 32 && id == Grant.id(for: "42", key: key))
        // K and the Kelvin sign are two users.
        let ids = [id, Grant.id(for: "43", key: key), Grant.id(for: "42", key: other)]
        let random = [Grant.id(for: "42", key: nil), Grant.id(for: "42", key: nil)]
        let lookAlikes = ["K", "\u{212A}"].map { Grant.id(for: UserID($0), key: key) }
        #expect(Set(ids + random + lookAlikes).count == 7)
    }
}

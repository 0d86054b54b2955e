import Domain
import Testing

@testable import Simulator

@Suite struct SimulatedLifecycleTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [LifecycleStep]
        var state: ContractState
        var days: Int?
        var product = "paycast.pro.monthly"
    }

    /// A day between two steps.
    @Test(arguments: [
        Case(testDescription: "bought", steps: [.initial], state: .active, days: 30),
        Case(testDescription: "trial", steps: [.trial], state: .active, days: 7),
        Case(testDescription: "trial, then paid", steps: [.trial, .renew], state: .active, days: 37),
        Case(testDescription: "renewed before its end", steps: [.initial, .renew], state: .active, days: 60),
        Case(testDescription: "grace", steps: [.initial, .grace], state: .inGracePeriod, days: 17),
        Case(testDescription: "recovered", steps: [.initial, .grace, .recover], state: .active, days: 32),
        Case(testDescription: "cancelled", steps: [.initial, .cancel], state: .cancelled, days: 30),
        Case(testDescription: "resumed", steps: [.initial, .cancel, .resume], state: .active, days: 30),
        Case(testDescription: "refunded", steps: [.initial, .refund], state: .revoked, days: 30),
        Case(testDescription: "given back", steps: [.initial, .refund, .reversed], state: .active, days: 30),
        Case(testDescription: "expired", steps: [.initial, .expire], state: .expired),
        Case(testDescription: "paused", steps: [.initial, .pause], state: .paused),
        Case(
            testDescription: "upgraded",
            steps: [.initial, .upgrade],
            state: .active,
            days: 366,
            product: "paycast.pro.annual"
        ),
        Case(
            testDescription: "the other plan begins with a renewal",
            steps: [.initial, .downgrade, .renew],
            state: .active,
            days: 395,
            product: "paycast.pro.annual"
        ),
    ]) func factsFollowTheSteps(_ given: Case) {
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "1")
        for (day, step) in given.steps.enumerated() {
            facts = facts.after(step, at: Self.now + .days(day))
        }
        #expect(facts.state == given.state)
        #expect(facts.product == given.product)
        if let days = given.days { #expect(facts.accessUntil == Self.now + .days(days)) }
    }

    @Test(arguments: SimulatedStores.providers) func wordsLeadToEventsAndBack(_ provider: Provider) {
        let vocabulary = LifecycleEventNames(provider)
        #expect(vocabulary.steps.contains(.initial))
        for step in vocabulary.steps {
            guard let event = vocabulary.event(for: step) else { continue }
            let meant = vocabulary.step(of: event.type, subtype: event.subtype)
            #expect(meant == step || [.recover, .reversed, .trial].contains(step), "\(step)")
        }
    }

    @Test(arguments: [
        (#"{"signedPayload":"abc.def.ghi"}"#, nil), ("{}", "Bearer abc"), ("", nil), ("{}", nil),
    ]) func tamperingChangesOneByteAtMost(_ body: String, authorization: String?) {
        let delivery = SimulatedDelivery(
            path: "/",
            headers: authorization.map { [("Authorization", $0)] } ?? [],
            body: Array(body.utf8),
            event: "1"
        )
        let tampered = delivery.tampered
        let changed = zip(delivery.body, tampered.body).filter { $0 != $1 }.count
        #expect(tampered.body.count == delivery.body.count)
        if let authorization {
            #expect(tampered.headers[0].1 != authorization && changed == 0)
        } else {
            #expect(changed == (body.count > 2 ? 1 : 0))
        }
    }
}

import Domain
import Simulator
import Stores
import TestSupport
import Testing

/// Events of every type with any of their values replaced: whatever is signed, nothing may trap.
@Suite struct StripeFuzzTests {
    private static let values = [
        "null", "true", "0", "-1", "1e308", "-1e308", "9007199254740993", "9223372036854775807", "-9223372036854775808",
        "8640000000000", "-8640000000000", "1.5", "\"\"", "\"1767225600\"", "\"\\u0000\"", "\"<b>\"", "[]", "{}",
        "[[]]",
        "{\"id\":\"x\"}", "{\"data\":[null,{}]}", "\"active\"", "\"canceled\"", "\"subscription\"", "\"charge\"",
    ]

    @Test(arguments: GeneratedCases.areWhole ? [1, 2, 3, 4] : [1] as [UInt64])
    func anyValueMayBeAnything(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let verifier = try #require(StripeVerifier(secrets: [StripeSpecimen.secret]))
        var contract = Contract(
            key: ContractKey(provider: .stripe, environment: .sandbox, app: "stripe", lineage: "sub_1"),
            kind: .subscription
        )
        var believed = 0
        for type in SimulatedStripe.types {
            for shape in SimulatedStripe.Shape.allCases {
                let genuine = try body(type, shape: shape)
                for _ in 0..<8 {
                    let body = bent(genuine, using: &generator)
                    let time = String(StripeSpecimen.now.seconds)
                    let header = "t=\(time),v1=\(StripeSpecimen.code(body, at: time))"
                    let delivery = Delivery(body: body, signature: header)
                    guard let event = try? verifier.verify(delivery, now: StripeSpecimen.now) else { continue }
                    believed += 1
                    guard let observation = event.observation else { continue }
                    _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
                    let status = contract.status(at: StripeSpecimen.now)
                    #expect(status.map { isValidIdentifier($0.product) || $0.product.isEmpty } ?? true, "seed \(seed)")
                }
            }
        }
        #expect(believed > 100, "seed \(seed)")
    }

    private func body(_ type: String, shape: SimulatedStripe.Shape) throws -> [UInt8] {
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1")
        facts.state = .active
        let event = SimulatedEvent(type: type, facts: facts, token: .random(), now: StripeSpecimen.now)
        return try SimulatedStripe(secret: "", shape: shape).delivery(event).body
    }

    /// One to three values replaced: what stands between a colon and the next comma or bracket.
    private func bent(_ body: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var body = body
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let colons = body.indices.filter { body[$0] == UInt8(ascii: ":") }
            guard let colon = colons.randomElement(using: &generator) else { return body }
            let value = Self.values.randomElement(using: &generator) ?? "null"
            body.replaceSubrange((colon + 1)..<end(of: body, after: colon), with: Array(value.utf8))
        }
        return body
    }

    private func end(of body: [UInt8], after colon: Int) -> Int {
        var depth = 0
        for index in (colon + 1)..<body.count {
            switch body[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ","): if depth == 0 { return index }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
            default: break
            }
        }
        return body.count
    }
}

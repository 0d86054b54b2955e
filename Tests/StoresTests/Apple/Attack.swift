import Stores
import Testing

/// One thing that is wrong with a notification that is genuine in every other way.
struct Attack: Sendable, CustomTestStringConvertible {
    var name: String
    /// The `error` code of the answer.
    var code: String
    /// What the base needs so that the attack changes one thing only.
    var prepare: @Sendable (inout Specimen) throws -> Void
    var apply: @Sendable (inout Specimen) throws -> Void

    init(
        _ name: String,
        code: String,
        from prepare: @escaping @Sendable (inout Specimen) throws -> Void = { _ in },
        apply: @escaping @Sendable (inout Specimen) throws -> Void
    ) {
        self.name = name
        self.code = code
        self.prepare = prepare
        self.apply = apply
    }

    var testDescription: String { name }

    static let all = bodies + forms + headers + certificates + chains + signatures + dates + payloads + claims + nested
}

@Suite struct AttackTests {
    @Test(arguments: Attack.all) func isRefused(_ attack: Attack) throws {
        var specimen = try Specimen()
        try attack.prepare(&specimen)
        _ = try specimen.verify()
        try attack.apply(&specimen)
        let error = #expect(throws: VerificationError.self) { try specimen.verify() }
        #expect(error?.code == attack.code)
    }

    /// The second document of a server that has just verified the first, genuine one.
    @Test(arguments: Attack.all) func isRefusedOnceTheHeaderIsKnown(_ attack: Attack) throws {
        var specimen = try Specimen()
        try attack.prepare(&specimen)
        let genuine = try specimen.body()
        try attack.apply(&specimen)
        let verifier = try specimen.verifier()
        _ = try? verifier.verify(body: genuine, now: specimen.now)
        let body = try specimen.body()
        let error = #expect(throws: VerificationError.self) { try verifier.verify(body: body, now: specimen.now) }
        #expect(error?.code == attack.code)
    }

    @Test func namesAreUnique() {
        #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
    }

    @Test func everyRefusalIsAttacked() {
        let codes =
            VerificationError.Malformation.allCases.map(\.rawValue)
            + VerificationError.Distrust.allCases.map(\.rawValue)
            + ["wrong_app", "wrong_environment", "not_configured"]
        // What only the other stores' deliveries can lack, and receipts.
        let others: Set = [
            "duplicate_member", "invalid_receipt", "missing_package", "missing_signature", "signed_in_past",
            "thin_event",
            "unauthorized", "unknown_purchase",
        ]
        #expect(Set(Attack.all.map(\.code)) == Set(codes).subtracting(others))
    }
}

import Domain
import Simulator
import Stores
import Testing

/// Which proofs a delivery needs, and which it has.
@Suite struct RevenueCatSignatureTests {
    private static let authorization = RevenueCatSpecimen.authorization
    private static let secret = "whsec_0123456789"

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: String? = authorization
        var secrets = [secret]
        var given: String? = authorization
        var key: String? = secret
        var age = Duration.zero
        var changesBody = false
        var editHeader: @Sendable (String) -> String = { $0 }
        /// Nil: it is believed.
        var code: String?
    }

    private static let other = "another-secret-0123"

    static let cases = [
        Case(testDescription: "both"),
        Case(testDescription: "the signature alone", expected: nil, given: nil),
        Case(testDescription: "the authorization alone", secrets: [], key: nil),
        Case(testDescription: "a signature that nobody asked for", secrets: [], key: other),
        Case(testDescription: "signed with the second secret", secrets: [other, secret]),
        Case(
            testDescription: "two codes while RevenueCat rolls",
            editHeader: {
                $0.replacing(",v1=", with: ",v1=00,v1=")
            }
        ),
        Case(testDescription: "300 s old", age: .seconds(300)),
        Case(testDescription: "no signature", key: nil, code: "missing_signature"),
        Case(testDescription: "no signature, alone", expected: nil, key: nil, code: "missing_signature"),
        Case(testDescription: "no authorization", given: nil, code: "unauthorized"),
        Case(testDescription: "another authorization", given: other, code: "unauthorized"),
        Case(testDescription: "another secret", key: other, code: "bad_signature"),
        Case(testDescription: "a changed body", changesBody: true, code: "bad_signature"),
        Case(testDescription: "301 s old", age: .seconds(301), code: "signed_in_past"),
        Case(testDescription: "301 s ahead", age: .seconds(-301), code: "signed_in_future"),
        Case(
            testDescription: "without a time",
            editHeader: { String($0.drop { $0 != "v" }) },
            code: "missing_signature"
        ),
    ]

    @Test(arguments: cases) func checksWhatIsConfigured(_ given: Case) throws {
        let verifier = try #require(RevenueCatVerifier(authorization: given.expected, secrets: given.secrets))
        let now = RevenueCatSpecimen.start
        let body = RevenueCatSpecimen("INITIAL_PURCHASE").body
        let signature = given.key.map { SimulatedStripe(secret: $0).signature(of: body, at: now - given.age) }
        let delivery = Delivery(
            body: body + (given.changesBody ? [32] : []),
            authorization: given.given,
            signature: signature.map(given.editHeader)
        )
        var code: String?
        do throws(VerificationError) { _ = try verifier.verify(delivery, now: now) } catch { code = error.code }
        #expect(code == given.code)
    }

    @Test(
        arguments: [(nil, []), ("", []), (nil, [""]), ("", [secret]), (authorization, [secret, ""])]
            as [(String?, [String])]
    )
    func emptyProofIsNone(_ authorization: String?, secrets: [String]) {
        #expect(RevenueCatVerifier(authorization: authorization, secrets: secrets) == nil)
    }
}

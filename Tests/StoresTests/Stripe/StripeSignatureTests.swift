import Domain
import Stores
import Testing

@Suite struct StripeSignatureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Nil: it is believed.
        var code: String?
        var change: @Sendable (inout StripeSpecimen) -> Void

        init(_ name: String, code: String? = nil, change: @escaping @Sendable (inout StripeSpecimen) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }

        static func header(_ name: String, code: String? = nil, edit: @escaping @Sendable (String) -> String?)
            -> Case
        {
            Case(name, code: code) { $0.editHeader = edit }
        }
    }

    private static let zeros = String(repeating: "0", count: 64)

    static let genuine = [
        Case("as Stripe sends it") { _ in },
        .header("an old and a new secret's code") { $0.replacing(",v1=", with: ",v1=\(zeros),v1=") },
        .header("the good code first") { $0 + ",v1=\(zeros)" },
        .header("a code of the test scheme beside it") { $0 + ",v0=\(zeros)" },
        .header("fields of tomorrow") { "new=1,\($0),v2=abc" },
        .header("a space after the comma") { $0.replacing(",", with: ", ") },
        .header("upper case digits") { header in
            header.replacing("v1=", with: "V1=").uppercased().replacing("T=", with: "t=").replacing("V1=", with: "v1=")
        },
        Case("the second of two secrets") { $0.secrets = ["whsec_old", StripeSpecimen.secret] },
        Case("300 s old") { $0.signedAt = $0.now - .seconds(300) },
        Case("300 s ahead") { $0.signedAt = $0.now + .seconds(300) },
        Case("white space around the body") { $0.editBody = { [10, 32] + $0 + [10] } },
    ]

    static let refused = [
        .header("no header", code: "missing_signature") { _ in nil },
        .header("empty header", code: "missing_signature") { _ in "" },
        .header("no time", code: "missing_signature") { String($0.drop { $0 != "v" }) },
        .header("no code", code: "missing_signature") { String($0.prefix { $0 != "," }) },
        .header("only the test scheme", code: "missing_signature") { $0.replacing("v1=", with: "v0=") },
        .header("two times", code: "missing_signature") { "t=1,\($0)" },
        .header("a time that is no number", code: "missing_signature") { $0.replacing("t=", with: "t=x") },
        .header("a negative time", code: "missing_signature") { $0.replacing("t=", with: "t=-") },
        .header("a time with a sign", code: "missing_signature") { $0.replacing("t=", with: "t=+") },
        .header("a time beyond 64 bits", code: "missing_signature") {
            $0.replacing("t=", with: "t=99999999999999999999")
        },
        .header("a thousand codes", code: "missing_signature") { header in
            header + String(repeating: ",v1=\(zeros)", count: 1000)
        },
        .header("another code", code: "bad_signature") { String($0.prefix { $0 != "," }) + ",v1=\(zeros)" },
        .header("a code that is no hex", code: "bad_signature") { String($0.prefix { $0 != "," }) + ",v1=zz" },
        .header("half a code", code: "bad_signature") { String($0.dropLast(32)) },
        .header("an empty code", code: "bad_signature") { String($0.prefix { $0 != "," }) + ",v1=" },
        .header("another time", code: "bad_signature") { $0.replacing("t=1767225600", with: "t=1767225601") },
        .header("a time with a zero before it", code: "bad_signature") { $0.replacing("t=", with: "t=0") },
        Case("another secret", code: "bad_signature") { $0.secrets = ["whsec_other"] },
        Case("a changed byte", code: "bad_signature") { $0.tamper = { $0.map { $0 == 49 ? 50 : $0 } } },
        Case("a byte more", code: "bad_signature") { $0.tamper = { $0 + [32] } },
        Case("the same JSON written differently", code: "bad_signature") { $0.tamper = { [32] + $0 } },
        Case("an empty body", code: "bad_signature") { $0.tamper = { _ in [] } },
        Case("301 s old", code: "signed_in_past") { $0.signedAt = $0.now - .seconds(301) },
        Case("301 s ahead", code: "signed_in_future") { $0.signedAt = $0.now + .seconds(301) },
        Case("signed in 1970", code: "signed_in_past") { $0.signedAt = Instant(milliseconds: 0) },
        Case("signed for ever", code: "signed_in_future") { $0.signedAt = Instant(milliseconds: .max) },
    ]

    @Test(arguments: genuine) func isBelieved(_ given: Case) throws {
        var specimen = StripeSpecimen()
        given.change(&specimen)
        #expect(try specimen.verify().id == "evt_1")
    }

    @Test(arguments: refused) func isNotBelieved(_ given: Case) throws {
        var specimen = StripeSpecimen()
        _ = try specimen.verify()
        given.change(&specimen)
        let error = #expect(throws: VerificationError.self) { try specimen.verify() }
        #expect(error?.code == given.code)
    }

    /// Anybody could sign with an empty key.
    @Test(arguments: [[], [""], ["whsec_1", ""]]) func emptySecretVerifiesNothing(_ secrets: [String]) {
        #expect(StripeVerifier(secrets: secrets) == nil)
    }
}

import Domain
import Encoding
import Support
import TestSupport
import Testing

@testable import Stores

/// A purchase that only its id names, where two bundles are configured and the second one sold it.
@Suite(.blocking) struct NamedAppleTransactionTests {
    private static let first = "com.example.a"
    private static let sold = "2000000000000007"

    /// What Apple says when it is asked for the first bundle.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: AnsweringServer.Answer
        /// Whether the second bundle is asked as well.
        var goesOn = true
        /// Why it remains open whether a purchase exists that the second bundle has not sold; nil if it is known not to.
        var silence: VerificationError.Silence?
    }

    private static func refusal(_ status: Int, _ code: Int) -> AnsweringServer.Answer {
        .init(status, body: #"{"errorCode":\#(code)}"#)
    }

    static let cases = [
        Case(testDescription: "not its purchase", answer: refusal(404, 4_040_010)),
        Case(testDescription: "no id of Apple's", answer: refusal(400, 4_000_006)),
        Case(testDescription: "no original id of Apple's", answer: refusal(400, 4_000_008)),
        Case(testDescription: "not released", answer: .init(401), silence: .refusedKey),
        Case(testDescription: "no such app", answer: refusal(404, 4_040_003), silence: .refusedQuestion),
        Case(testDescription: "a code of tomorrow", answer: refusal(400, 4_009_999), silence: .refusedQuestion),
        Case(testDescription: "away", answer: .init(503), goesOn: false, silence: .noAnswer),
        Case(testDescription: "no JSON", answer: .init(200, body: "<html>"), goesOn: false, silence: .unreadable),
    ]

    private struct Fixture {
        let apple: AppleFixture
        let store: OpenAppleStore

        init(_ answer: AnsweringServer.Answer) throws {
            apple = try AppleFixture { Fixture.bundle(of: $0) == first ? answer : nil }
            try apple.say(lineage: sold)
            let bundles = ["PAYCAST_APPLE_BUNDLE_ID": "\(AppleFixture.bundle),\(first)"]
            var reader = SettingsReader(flags: [:], environment: bundles, isDevelopment: false)
            store = OpenAppleStore(
                settings: AppleStore(&reader),
                development: nil,
                apple: apple.verifier,
                serverAPI: apple.api,
                isSilent: { false },
                lookupAPI: nil,
                signer: nil
            )
        }

        /// For which a request's token was signed.
        private static func bundle(of request: AnsweringServer.Request) -> String? {
            let parts = (request.header("Authorization") ?? "").split(separator: ".").map(String.init)
            guard parts.count == 3, let claims = Base64URL.decode(parts[1]) else { return nil }
            return JSONNode(claims)?["bid"]?.text
        }

        func read(_ id: String) throws -> PurchaseReading {
            let body = try #require(JSONNode(#"{"transactionId":"\#(id)"}"#))
            return try PostedAppleTransaction(body, bytes: []).read(with: store, now: AppleFixture.now)
        }
    }

    @Test(arguments: cases) func isLookedForInBoth(_ example: Case) throws {
        let fixture = try Fixture(example.answer)
        guard example.goesOn else {
            let error = #expect(throws: RefusedPurchase.self) { try fixture.read(Self.sold) }
            #expect(error?.message == example.silence.map { VerificationError.storeUnreachable($0).message })
            return
        }
        let events = try fixture.read(Self.sold).events
        #expect(events.first?.observation?.contract.lineage == Self.sold)
        #expect(events.allSatisfy { $0.app == AppleFixture.bundle })
    }

    /// What one bundle says nothing about may be its own.
    @Test(arguments: cases) func isUnknownIfBothSaySo(_ example: Case) throws {
        let fixture = try Fixture(example.answer)
        let error = #expect(throws: RefusedPurchase.self) { try fixture.read("2000000000000008") }
        let expected = example.silence.map { VerificationError.storeUnreachable($0) } ?? .untrusted(.unknownPurchase)
        #expect(error?.code == expected.code && error?.message == expected.message, "\(String(describing: error))")
    }
}

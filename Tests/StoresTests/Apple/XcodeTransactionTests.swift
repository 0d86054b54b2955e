import Crypto
import Domain
import Encoding
import Stores
import TestSupport
import Testing

/// What StoreKit testing in Xcode signs: believed in development, as a posted transaction, and as nothing else.
@Suite struct XcodeTransactionTests {
    /// A post under construction, as Xcode signs it until a test changes one thing.
    struct Post {
        let pki: PKI
        var transaction: Specimen.Document
        var renewal: Specimen.Document?
        var bundleIDs: Allowlist<String> = .only(["com.example.shop"])
        var isDevelopment = true

        init() throws {
            pki = try PKI.shared.get()
            let signer = try XcodeSigner()
            transaction = Post.signed(XcodeTransactionTests.transaction, by: signer, pki: pki)
            renewal = Post.signed(XcodeTransactionTests.renewal, by: signer, pki: pki)
        }

        static func signed(_ payload: JSON, by signer: XcodeSigner, pki: PKI) -> Specimen.Document {
            var document = Specimen.Document(payload, pki: pki)
            document.header["x5c"] = .array([.text(signer.text)])
            document.header["kid"] = "Apple_Xcode_Key"
            document.key = signer.key
            return document
        }

        func verifier() throws -> AppleVerifier {
            try AppleVerifier(
                bundleIDs: bundleIDs,
                appIDs: .any,
                environments: [.production, .sandbox],
                roots: try #require(TrustedRoots([pki.root.certificate])),
                acceptsXcode: isDevelopment
            )
        }

        func verify() throws -> Event {
            try verifier().verify(
                transaction: transaction.text(),
                renewalInfo: renewal?.text(),
                now: Specimen.now
            )
        }
    }

    /// Small numbers, and milliseconds with a fraction: https://github.com/apple/app-store-server-library-python has such
    /// documents of Xcode 15 in `tests/resources/xcode`.
    private static let transaction: JSON = [
        "inAppOwnershipType": "PURCHASED", "purchaseDate": .number("1767225599000.7297"),
        "subscriptionGroupIdentifier": "6F3A93AB", "signedDate": .number("1767225599007.485"),
        "originalPurchaseDate": .number("1767225599000.7297"), "isUpgraded": false, "deviceVerification": "sGDnpg",
        "offerType": 1, "quantity": 1, "transactionId": "0", "type": "Auto-Renewable Subscription",
        "transactionReason": "PURCHASE", "productId": "pass.premium", "expiresDate": .number("1769904000000.7297"),
        "environment": "Xcode", "storefrontId": "143441", "originalTransactionId": "0",
        "bundleId": "com.example.shop", "deviceVerificationNonce": "7edea87d-98f0-42d0-9682-49ca81022f73",
        "webOrderLineItemId": "0", "storefront": "USA", "appTransactionId": "0",
        "appAccountToken": "0f8fad5b-d9cb-469f-a165-70867728950e",
    ]

    private static let renewal: JSON = [
        "productId": "pass.premium", "renewalDate": .number("1769904000000.7297"), "originalTransactionId": "0",
        "autoRenewStatus": 1, "signedDate": .number("1767225599008.0747"), "environment": "Xcode",
        "autoRenewProductId": "pass.premium",
    ]

    @Test func isBelievedInDevelopment() throws {
        let event = try Post().verify()
        #expect(event.environment == .xcode && event.app == "com.example.shop")
        #expect(event.kind == .subscriptionStarted && event.type == "TRANSACTION")
        let observation = try #require(event.observation)
        #expect(observation.contract.environment == .xcode && observation.contract.lineage == "0@1767225599000")
        #expect(observation.token == OrderToken("0f8fad5b-d9cb-469f-a165-70867728950e"))
        #expect(observation.transaction?.product == "pass.premium")
        #expect(observation.transaction?.expiresAt == Instant(milliseconds: 1_769_904_000_000))
        #expect(observation.account == nil, "it would join the buyers of all simulators")
    }

    /// The signature of a stored transaction is checked again when the ledger is replayed.
    @Test func isReadAgainFromTheLedger() throws {
        let post = try Post()
        let event = try post.verify()
        let stored = StoredDelivery(
            id: event.id,
            body: event.body,
            environment: event.environment,
            app: event.app,
            receivedAt: Specimen.now
        )
        #expect(try post.verifier().interpret(stored) == event)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var apply: @Sendable (inout Post) throws -> Void
    }

    private static let refusals = [
        Refusal(testDescription: "without --dev", code: "invalid_certificates") { $0.isDevelopment = false },
        Refusal(testDescription: "claims Production", code: "untrusted_chain") {
            $0.transaction.payload["environment"] = "Production"
        },
        Refusal(testDescription: "claims Sandbox", code: "untrusted_chain") {
            $0.transaction.payload["environment"] = "Sandbox"
        },
        Refusal(testDescription: "claims LocalTesting", code: "untrusted_chain") {
            $0.transaction.payload["environment"] = "LocalTesting"
        },
        Refusal(testDescription: "names no environment", code: "untrusted_chain") {
            $0.transaction.payload["environment"] = nil
        },
        Refusal(testDescription: "Apple's chain over Xcode's words", code: "wrong_environment") {
            $0.transaction.sign(with: $0.pki)
        },
        Refusal(testDescription: "the same without --dev", code: "wrong_environment") {
            $0.transaction.sign(with: $0.pki)
            $0.isDevelopment = false
        },
        Refusal(testDescription: "another app", code: "wrong_app") {
            $0.transaction.payload["bundleId"] = "com.example.other"
        },
        Refusal(testDescription: "no app", code: "wrong_app") { $0.transaction.payload["bundleId"] = nil },
        Refusal(testDescription: "not configured", code: "not_configured") { $0.bundleIDs = .only([]) },
        Refusal(testDescription: "another key", code: "bad_signature") {
            $0.transaction.key = try .generate(.p256)
        },
        Refusal(testDescription: "changed after it was signed", code: "bad_signature") {
            $0.transaction.editText = { text in
                let parts = text.split(separator: ".")
                return "\(parts[0]).\(parts[1].dropLast(4))AAAA.\(parts[2])"
            }
        },
        Refusal(testDescription: "Apple's leaf alone", code: "untrusted_chain") {
            $0.transaction.header["x5c"] = .array([.text(Base64.encode($0.pki.leaf.certificate))])
            $0.transaction.key = $0.pki.leaf.key
        },
        Refusal(testDescription: "a P-384 key", code: "untrusted_chain") {
            let signer = try XcodeSigner(curve: .p384)
            $0.transaction = Post.signed(XcodeTransactionTests.transaction, by: signer, pki: $0.pki)
        },
        Refusal(testDescription: "no certificate", code: "invalid_certificates") {
            $0.transaction.header["x5c"] = nil
        },
        Refusal(testDescription: "two certificates", code: "invalid_certificates") {
            $0.transaction.header["x5c"] = .array([.text(try XcodeSigner().text), .text(try XcodeSigner().text)])
        },
        Refusal(testDescription: "a certificate that is none", code: "invalid_certificates") {
            $0.transaction.header["x5c"] = .array(["MIIB"])
        },
        Refusal(testDescription: "no signature", code: "unsupported_algorithm") {
            $0.transaction.header["alg"] = "none"
        },
        Refusal(testDescription: "signed tomorrow", code: "signed_in_future") {
            $0.transaction.payload["signedDate"] = .number(String(Specimen.now.milliseconds + 86_400_000))
        },
        Refusal(testDescription: "renewal of Apple's", code: "invalid_certificates") { $0.renewal?.sign(with: $0.pki) },
        Refusal(testDescription: "renewal of the Sandbox", code: "mismatched_renewal") {
            $0.renewal?.payload["environment"] = "Sandbox"
        },
        Refusal(testDescription: "renewal of another purchase", code: "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = "1"
        },
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) throws {
        var post = try Post()
        _ = try post.verify()
        try refusal.apply(&post)
        let error = #expect(throws: VerificationError.self) { try post.verify() }
        #expect(error?.code == refusal.code)
    }

    /// Apple's own transaction with the renewal info of Xcode beside it.
    @Test func doesNotVouchForAStoresTransaction() throws {
        var post = try Post()
        post.transaction.payload["environment"] = "Sandbox"
        post.transaction.sign(with: post.pki)
        let error = #expect(throws: VerificationError.self) { try post.verify() }
        #expect(error?.code == "invalid_certificates")
    }

    /// Xcode sends no notifications: whoever posts one to the webhook is a stranger, in development too.
    @Test func isNoNotification() throws {
        var specimen = try Specimen()
        var post = try Post()
        post.bundleIDs = specimen.bundleIDs
        specimen.outer = Post.signed(specimen.outer.payload, by: try XcodeSigner(), pki: post.pki)
        let body = try specimen.body()
        let error = #expect(throws: VerificationError.self) {
            try post.verifier().verify(body: body, now: Specimen.now)
        }
        #expect(error?.code == "invalid_certificates")
    }

    /// The same numbers and dates in the Sandbox are another event of another contract.
    @Test func mixesWithNoStoresPurchase() throws {
        var post = try Post()
        let inXcode = try post.verify()
        post.transaction.payload["environment"] = "Sandbox"
        post.transaction.sign(with: post.pki)
        post.renewal = nil
        let inSandbox = try post.verify()
        #expect(inSandbox.environment == .sandbox && inSandbox.observation?.contract.lineage == "0")
        #expect(inXcode.id != inSandbox.id)
        #expect(inXcode.observation?.contract != inSandbox.observation?.contract)
    }

    /// Each simulator begins with 0, and again when its purchases are deleted.
    @Test func numbersAreOfOneSimulator() throws {
        var post = try Post()
        post.renewal = nil
        let first = try post.verify()
        post.transaction.payload["originalPurchaseDate"] = .number("1767225599999.5")
        let elsewhere = try post.verify()
        #expect(elsewhere.id != first.id && elsewhere.observation?.contract != first.observation?.contract)

        post = try Post()
        post.renewal = nil
        post.transaction.payload["transactionId"] = "1"
        post.transaction.payload["purchaseDate"] = .number("1767225599500.25")
        post.transaction.payload["transactionReason"] = "RENEWAL"
        let renewed = try post.verify()
        #expect(renewed.id != first.id && renewed.observation?.contract == first.observation?.contract)
        #expect(renewed.kind == .subscriptionRenewed)
    }
}

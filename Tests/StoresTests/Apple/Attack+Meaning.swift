import Crypto
import Domain
import Encoding
import Stores

extension Attack {
    static let payloads = [
        Attack("payload is not JSON", code: "invalid_payload") { $0.outer.payload = .raw("{") },
        Attack("payload is an array", code: "invalid_payload") { $0.outer.payload = .array([$0.outer.payload]) },
        Attack("payload is not UTF-8", code: "invalid_payload") {
            $0.outer.editSigned = { "\($0.split(separator: ".")[0]).\(Base64URL.encode([0x22, 0xFF, 0x22]))" }
        },
        Attack("deeply nested payload", code: "invalid_payload") {
            $0.outer.payload["junk"] = .raw(String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000))
        },
        Attack("none of the four members", code: "invalid_payload") { $0.carry("data", payload: nil) },
        Attack("data and summary", code: "invalid_payload") { $0.outer.payload["summary"] = $0.outer.payload["data"] },
        Attack("data and an external purchase token", code: "invalid_payload") {
            $0.outer.payload["externalPurchaseToken"] = ["externalPurchaseId": "SANDBOX_1"]
        },
        Attack("no type", code: "invalid_payload") { $0.outer.payload["notificationType"] = nil },
        Attack("type is a number", code: "invalid_payload") { $0.outer.payload["notificationType"] = 1 },
        Attack("no UUID", code: "invalid_payload") { $0.outer.payload["notificationUUID"] = nil },
        Attack("empty UUID", code: "invalid_payload") { $0.outer.payload["notificationUUID"] = "" },
        Attack("UUID with a line break", code: "invalid_payload") { $0.outer.payload["notificationUUID"] = "a\nb" },
        Attack("UUID of 256 characters", code: "invalid_payload") {
            $0.outer.payload["notificationUUID"] = .text(String(repeating: "a", count: 256))
        },
        Attack("subtype with a line break", code: "invalid_payload") { $0.outer.payload["subtype"] = "a\nb" },
        Attack("status as text", code: "invalid_payload") { $0.outer.payload["data"]?["status"] = "1" },
        Attack("data is a list", code: "invalid_payload") { $0.outer.payload["data"] = [] },
        Attack("transaction without an id", code: "invalid_payload") { $0.transaction?.payload["transactionId"] = nil },
        Attack("transaction without a lineage", code: "invalid_payload") {
            $0.transaction?.payload["originalTransactionId"] = nil
        },
        Attack("product with a line break", code: "invalid_payload") { $0.transaction?.payload["productId"] = "a\nb" },
        Attack("pending product with a line break", code: "invalid_payload") {
            $0.renewal?.payload["autoRenewProductId"] = "a\nb"
        },
    ]

    static let claims = [
        Attack("no app configured", code: "not_configured") { $0.bundleIDs = .only([]) },
        Attack("another bundle", code: "wrong_app") { $0.outer.payload["data"]?["bundleId"] = "com.example.other" },
        Attack("bundle in another case", code: "wrong_app") {
            $0.outer.payload["data"]?["bundleId"] = "com.example.Shop"
        },
        Attack("no bundle", code: "wrong_app") { $0.outer.payload["data"]?["bundleId"] = nil },
        Attack("another app id in Production", code: "wrong_app", from: { $0.moveToProduction() }) {
            $0.outer.payload["data"]?["appAppleId"] = 1_234_567_891
        },
        Attack("no app id in Production", code: "wrong_app", from: { $0.moveToProduction() }) {
            $0.outer.payload["data"]?["appAppleId"] = nil
        },
        Attack("Sandbox at a Production server", code: "wrong_environment") { $0.environments = [.production] },
        Attack("Production at a Sandbox server", code: "wrong_environment", from: { $0.moveToProduction() }) {
            $0.environments = [.sandbox]
        },
        Attack("Xcode", code: "wrong_environment") { $0.outer.payload["data"]?["environment"] = "Xcode" },
        Attack("LocalTesting", code: "wrong_environment") { $0.outer.payload["data"]?["environment"] = "LocalTesting" },
        Attack("unknown environment", code: "wrong_environment") {
            $0.outer.payload["data"]?["environment"] = "sandbox"
        },
        Attack("no environment", code: "wrong_environment") { $0.outer.payload["data"]?["environment"] = nil },
        Attack(
            "external purchase token of Production at a Sandbox server",
            code: "wrong_environment",
            from: {
                $0.environments = [.sandbox]
                $0.carry("externalPurchaseToken", payload: Specimen.token(id: "SANDBOX_1"))
            }
        ) { $0.outer.payload["externalPurchaseToken"]?["externalPurchaseId"] = "1" },
        Attack(
            "summary for another bundle",
            code: "wrong_app",
            from: { $0.carry("summary", payload: ["bundleId": "com.example.shop", "environment": "Sandbox"]) }
        ) { $0.outer.payload["summary"]?["bundleId"] = "com.example.other" },
    ]

    private static let consent: @Sendable (inout Specimen) throws -> Void = { specimen in
        specimen.carry("appData", payload: ["bundleId": "com.example.shop", "environment": "Sandbox"])
        specimen.appTransaction = Specimen.Document(
            [
                "bundleId": "com.example.shop", "receiptType": "Sandbox",
                "receiptCreationDate": .number(String(Specimen.now.milliseconds)),
            ],
            pki: specimen.pki
        )
    }

    static let nested = [
        Attack("transaction of another bundle", code: "mismatched_transaction") {
            $0.transaction?.payload["bundleId"] = "com.example.other"
        },
        Attack("transaction without a bundle", code: "mismatched_transaction") {
            $0.transaction?.payload["bundleId"] = nil
        },
        Attack("transaction of another environment", code: "mismatched_transaction") {
            $0.transaction?.payload["environment"] = "Production"
        },
        Attack("renewal of another lineage", code: "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = "2000000000000009"
        },
        Attack("renewal without a lineage", code: "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = nil
        },
        Attack("renewal of another environment", code: "mismatched_renewal") {
            $0.renewal?.payload["environment"] = "Production"
        },
        Attack("nested documents swapped", code: "invalid_payload") { specimen in
            (specimen.transaction, specimen.renewal) = (specimen.renewal, specimen.transaction)
        },
        Attack("notification inside itself", code: "invalid_payload") { $0.transaction = $0.outer },
        Attack("nested with an unrelated key", code: "bad_signature") { $0.transaction?.key = try .generate(.p256) },
        Attack("renewal with an unrelated key", code: "bad_signature") { $0.renewal?.key = try .generate(.p256) },
        Attack("nested of a foreign root", code: "untrusted_chain") { $0.transaction?.sign(with: try PKI.make()) },
        Attack("nested unsigned", code: "unsupported_algorithm") { $0.transaction?.header["alg"] = "none" },
        Attack("nested is plain JSON", code: "invalid_jws") { $0.transaction?.editText = { _ in "{}" } },
        Attack("nested signed in the future", code: "signed_in_future") {
            $0.transaction?.payload["signedDate"] = 2_524_608_000_000
        },
        Attack("nested signed before its leaf was valid", code: "outside_validity") {
            $0.renewal?.payload["signedDate"] = 0
        },
        Attack("app transaction of another bundle", code: "mismatched_transaction", from: consent) {
            $0.appTransaction?.payload["bundleId"] = "com.example.other"
        },
        Attack("app transaction of another environment", code: "mismatched_transaction", from: consent) {
            $0.appTransaction?.payload["receiptType"] = "Xcode"
        },
        Attack("app transaction with an unrelated key", code: "bad_signature", from: consent) {
            $0.appTransaction?.key = try .generate(.p256)
        },
        Attack("app transaction made before its leaf was valid", code: "outside_validity", from: consent) {
            $0.appTransaction?.payload["receiptCreationDate"] = 0
        },
    ]
}

extension Specimen {
    static func token(id: String) -> JSON {
        ["externalPurchaseId": .text(id), "bundleId": "com.example.shop", "appAppleId": 1_234_567_890]
    }
}

import AppleStore
import Crypto
import Domain
import Encoding

extension Attack {
    static let payloads = [
        Attack("payload is not JSON", "invalid_payload") { $0.outer.payload = .raw("{") },
        Attack("payload is an array", "invalid_payload") { $0.outer.payload = .array([$0.outer.payload]) },
        Attack("payload is not UTF-8", "invalid_payload") {
            $0.outer.editSigned = { "\($0.split(separator: ".")[0]).\(Base64URL.encode([0x22, 0xFF, 0x22]))" }
        },
        Attack("deeply nested payload", "invalid_payload") {
            $0.outer.payload["junk"] = .raw(String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000))
        },
        Attack("none of the four members", "invalid_payload") { $0.carry("data", nil) },
        Attack("data and summary", "invalid_payload") { $0.outer.payload["summary"] = $0.outer.payload["data"] },
        Attack("data and an external purchase token", "invalid_payload") {
            $0.outer.payload["externalPurchaseToken"] = ["externalPurchaseId": "SANDBOX_1"]
        },
        Attack("no type", "invalid_payload") { $0.outer.payload["notificationType"] = nil },
        Attack("type is a number", "invalid_payload") { $0.outer.payload["notificationType"] = 1 },
        Attack("no UUID", "invalid_payload") { $0.outer.payload["notificationUUID"] = nil },
        Attack("empty UUID", "invalid_payload") { $0.outer.payload["notificationUUID"] = "" },
        Attack("UUID with a line break", "invalid_payload") { $0.outer.payload["notificationUUID"] = "a\nb" },
        Attack("UUID of 256 characters", "invalid_payload") {
            $0.outer.payload["notificationUUID"] = .text(String(repeating: "a", count: 256))
        },
        Attack("subtype with a line break", "invalid_payload") { $0.outer.payload["subtype"] = "a\nb" },
        Attack("status as text", "invalid_payload") { $0.outer.payload["data"]?["status"] = "1" },
        Attack("data is a list", "invalid_payload") { $0.outer.payload["data"] = [] },
        Attack("transaction without an id", "invalid_payload") { $0.transaction?.payload["transactionId"] = nil },
        Attack("transaction without a lineage", "invalid_payload") {
            $0.transaction?.payload["originalTransactionId"] = nil
        },
        Attack("product with a line break", "invalid_payload") { $0.transaction?.payload["productId"] = "a\nb" },
        Attack("pending product with a line break", "invalid_payload") {
            $0.renewal?.payload["autoRenewProductId"] = "a\nb"
        },
    ]

    static let claims = [
        Attack("no app configured", "not_configured") { $0.bundleIDs = .only([]) },
        Attack("another bundle", "wrong_app") { $0.outer.payload["data"]?["bundleId"] = "com.example.other" },
        Attack("bundle in another case", "wrong_app") { $0.outer.payload["data"]?["bundleId"] = "com.example.Shop" },
        Attack("no bundle", "wrong_app") { $0.outer.payload["data"]?["bundleId"] = nil },
        Attack("another app id in Production", "wrong_app", from: { $0.moveToProduction() }) {
            $0.outer.payload["data"]?["appAppleId"] = 1_234_567_891
        },
        Attack("no app id in Production", "wrong_app", from: { $0.moveToProduction() }) {
            $0.outer.payload["data"]?["appAppleId"] = nil
        },
        Attack("Sandbox at a Production server", "wrong_environment") { $0.environments = [.production] },
        Attack("Production at a Sandbox server", "wrong_environment", from: { $0.moveToProduction() }) {
            $0.environments = [.sandbox]
        },
        Attack("Xcode", "wrong_environment") { $0.outer.payload["data"]?["environment"] = "Xcode" },
        Attack("LocalTesting", "wrong_environment") { $0.outer.payload["data"]?["environment"] = "LocalTesting" },
        Attack("unknown environment", "wrong_environment") { $0.outer.payload["data"]?["environment"] = "sandbox" },
        Attack("no environment", "wrong_environment") { $0.outer.payload["data"]?["environment"] = nil },
        Attack(
            "external purchase token of Production at a Sandbox server",
            "wrong_environment",
            from: {
                $0.environments = [.sandbox]
                $0.carry("externalPurchaseToken", Specimen.token(id: "SANDBOX_1"))
            }
        ) { $0.outer.payload["externalPurchaseToken"]?["externalPurchaseId"] = "1" },
        Attack(
            "summary for another bundle",
            "wrong_app",
            from: { $0.carry("summary", ["bundleId": "com.example.shop", "environment": "Sandbox"]) }
        ) { $0.outer.payload["summary"]?["bundleId"] = "com.example.other" },
    ]

    private static let consent: @Sendable (inout Specimen) throws -> Void = { specimen in
        specimen.carry("appData", ["bundleId": "com.example.shop", "environment": "Sandbox"])
        specimen.appTransaction = Specimen.Document(
            [
                "bundleId": "com.example.shop", "receiptType": "Sandbox",
                "receiptCreationDate": .number(String(Specimen.now.milliseconds)),
            ],
            specimen.pki
        )
    }

    static let nested = [
        Attack("transaction of another bundle", "mismatched_transaction") {
            $0.transaction?.payload["bundleId"] = "com.example.other"
        },
        Attack("transaction without a bundle", "mismatched_transaction") { $0.transaction?.payload["bundleId"] = nil },
        Attack("transaction of another environment", "mismatched_transaction") {
            $0.transaction?.payload["environment"] = "Production"
        },
        Attack("renewal of another lineage", "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = "2000000000000009"
        },
        Attack("renewal without a lineage", "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = nil
        },
        Attack("renewal of another environment", "mismatched_renewal") {
            $0.renewal?.payload["environment"] = "Production"
        },
        Attack("nested documents swapped", "invalid_payload") { specimen in
            (specimen.transaction, specimen.renewal) = (specimen.renewal, specimen.transaction)
        },
        Attack("notification inside itself", "invalid_payload") { $0.transaction = $0.outer },
        Attack("nested with an unrelated key", "bad_signature") { $0.transaction?.key = try .generate(.p256) },
        Attack("renewal with an unrelated key", "bad_signature") { $0.renewal?.key = try .generate(.p256) },
        Attack("nested of a foreign root", "untrusted_chain") { $0.transaction?.sign(with: try PKI.make()) },
        Attack("nested unsigned", "unsupported_algorithm") { $0.transaction?.header["alg"] = "none" },
        Attack("nested is plain JSON", "invalid_jws") { $0.transaction?.editText = { _ in "{}" } },
        Attack("nested is empty", "invalid_jws") { $0.renewal?.editText = { _ in "" } },
        Attack("nested signed in the future", "signed_in_future") {
            $0.transaction?.payload["signedDate"] = 2_524_608_000_000
        },
        Attack("nested signed before its leaf was valid", "outside_validity") { $0.renewal?.payload["signedDate"] = 0 },
        Attack("app transaction of another bundle", "mismatched_transaction", from: consent) {
            $0.appTransaction?.payload["bundleId"] = "com.example.other"
        },
        Attack("app transaction of another environment", "mismatched_transaction", from: consent) {
            $0.appTransaction?.payload["receiptType"] = "Xcode"
        },
        Attack("app transaction with an unrelated key", "bad_signature", from: consent) {
            $0.appTransaction?.key = try .generate(.p256)
        },
        Attack("app transaction made before its leaf was valid", "outside_validity", from: consent) {
            $0.appTransaction?.payload["receiptCreationDate"] = 0
        },
    ]
}

extension Specimen {
    static func token(id: String) -> JSON {
        ["externalPurchaseId": .text(id), "bundleId": "com.example.shop", "appAppleId": 1_234_567_890]
    }
}

import Crypto
import Domain
import Encoding
import Stores

/// A notification under construction, genuine in every way until a test changes one thing.
struct Specimen {
    /// One JWS: what it says, and how it is signed and written.
    struct Document {
        var payload: JSON
        var header: JSON
        var key: PrivateKey
        var editSigned: (String) -> String = { $0 }
        var editSignature: ([UInt8]) -> [UInt8] = { $0 }
        var editText: (String) -> String = { $0 }

        init(_ payload: JSON, pki: PKI) {
            self.payload = payload
            header = [
                "alg": "ES256", "x5c": .array(pki.chain.map { .text(Base64.encode($0)) }),
            ]
            key = pki.leaf.key
        }

        /// Signs with another chain.
        mutating func sign(with pki: PKI) {
            self = Document(payload, pki: pki)
        }

        func text() throws -> String {
            let signed = editSigned("\(Base64URL.encode(header.bytes)).\(Base64URL.encode(payload.bytes))")
            let message = Array(signed.utf8)
            let signature = key.curve == .p256 ? try key.signature(for: message) : try key.derSignature(for: message)
            return editText("\(signed).\(Base64URL.encode(editSignature(signature)))")
        }
    }

    static let now = Instant(milliseconds: 1_767_225_600_000)

    let pki: PKI
    var now = Specimen.now
    var bundleIDs: Allowlist<String> = .only(["com.example.shop"])
    var appIDs: AppleVerifier.AppIDs = .only([1_234_567_890])
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    var outer: Document
    var transaction: Document?
    var renewal: Document?
    var appTransaction: Document?
    var editBody: (String) -> String = { $0 }

    init() throws {
        pki = try PKI.shared.get()
        let date = JSON.number(String(Specimen.now.milliseconds))
        outer = Document(
            [
                "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY", "version": "2.0", "signedDate": date,
                "notificationUUID": "a5af9b36-0e4d-4665-8351-0e4003752165",
                "data": [
                    "appAppleId": 1_234_567_890, "bundleId": "com.example.shop", "environment": "Sandbox", "status": 1,
                ],
            ],
            pki: pki
        )
        transaction = Document(
            [
                "transactionId": "2000000000000002", "originalTransactionId": "2000000000000001",
                "bundleId": "com.example.shop", "environment": "Sandbox", "productId": "pro.monthly",
                "subscriptionGroupIdentifier": "21580001", "type": "Auto-Renewable Subscription", "purchaseDate": date,
                "expiresDate": .number(String((Specimen.now + .seconds(2_592_000)).milliseconds)), "signedDate": date,
                "inAppOwnershipType": "PURCHASED", "price": 9990, "currency": "USD", "quantity": 1,
            ],
            pki: pki
        )
        renewal = Document(
            [
                "originalTransactionId": "2000000000000001", "environment": "Sandbox", "productId": "pro.monthly",
                "autoRenewProductId": "pro.monthly", "autoRenewStatus": 1, "signedDate": date,
            ],
            pki: pki
        )
    }

    /// The notification in Production, outside and inside.
    mutating func moveToProduction() {
        outer.payload["data"]?["environment"] = "Production"
        transaction?.payload["environment"] = "Production"
        renewal?.payload["environment"] = "Production"
    }

    /// All three documents at once.
    mutating func sign(with other: PKI) {
        outer.sign(with: other)
        transaction?.sign(with: other)
        renewal?.sign(with: other)
    }

    /// Replaces `data` by another of the four members.
    mutating func carry(_ member: String, payload: JSON?) {
        outer.payload["data"] = nil
        outer.payload[member] = payload
        transaction = nil
        renewal = nil
    }

    func body() throws -> [UInt8] {
        var outer = outer
        if let transaction { outer.payload["data"]?["signedTransactionInfo"] = .text(try transaction.text()) }
        if let renewal { outer.payload["data"]?["signedRenewalInfo"] = .text(try renewal.text()) }
        if let appTransaction {
            outer.payload["appData"]?["signedAppTransactionInfo"] = .text(try appTransaction.text())
        }
        return Array(editBody(JSON.object(["signedPayload": .text(try outer.text())]).text).utf8)
    }

    func verifier() throws -> AppleVerifier {
        try AppleVerifier(
            bundleIDs: bundleIDs,
            appIDs: appIDs,
            environments: environments,
            roots: TrustedRoots([pki.root.certificate]) ?? .apple
        )
    }

    func verify() throws -> Event {
        try verifier().verify(body: try body(), now: now)
    }
}

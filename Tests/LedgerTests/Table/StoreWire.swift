import Crypto
import Domain
import Encoding
import Simulator
import Stores
import TestSupport

/// Turns what a store is to say into the event that its verifier reads: a signed body in the store's wire format.
protocol StoreWire {
    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event
}

struct AppleWire: StoreWire {
    private let signer: AppStoreSigner
    private let store: SimulatedAppStore
    private let verifier: AppleVerifier

    init() throws {
        let authority = try AppleFixture.authority.get()
        signer = AppStoreSigner(chain: authority.chain, key: authority.leafKey)
        store = SimulatedAppStore(signer: signer)
        let configuration = try AppleConfiguration(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.production],
            roots: TrustedRoots(pem: authority.root) ?? .apple
        )
        verifier = AppleVerifier(configuration)
    }

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        guard claimed else {
            return try verifier.verify(body: edited(try store.delivery(asked).body, edits: edits), now: asked.now)
        }
        let posted = SimulatedEvent(
            type: asked.type,
            facts: asked.facts,
            token: asked.token,
            environment: asked.environment,
            now: asked.now
        )
        let transaction = try store.transaction(posted)
        return try verifier.verify(transaction: transaction, renewalInfo: nil, now: asked.now)
    }

    /// Signs the inner documents again, then the one around them.
    private func edited(_ body: [UInt8], edits: [String: String]) throws -> [UInt8] {
        guard !edits.isEmpty else { return body }
        var post = try WireText(body)
        var outer = try WireText(payload(of: post.text("signedPayload")))
        for (name, place) in [
            ("transaction.", "data.signedTransactionInfo"), ("renewal.", "data.signedRenewalInfo"),
        ] {
            let own = edits.filter { $0.key.hasPrefix(name) }
            guard !own.isEmpty else { continue }
            var inner = try WireText(payload(of: outer.text(place)))
            for (key, json) in own { try inner.set(String(key.dropFirst(name.count)), to: json) }
            try outer.set(place, to: "\"\(signer.sign(inner.bytes()))\"")
        }
        try outer.set(edits.filter { !$0.key.hasPrefix("transaction.") && !$0.key.hasPrefix("renewal.") })
        try post.set("signedPayload", to: "\"\(signer.sign(outer.bytes()))\"")
        return try post.bytes()
    }

    private func payload(of jws: String?) -> [UInt8] {
        let parts = jws?.split(separator: ".").map(String.init) ?? []
        return parts.count == 3 ? Base64URL.decode(parts[1]) ?? [] : []
    }
}

struct RevenueCatWire: StoreWire {
    private static let value = "Bearer 0123456789"
    let catalog: Catalog

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        var body = try WireText(SimulatedRevenueCat(authorization: Self.value).delivery(asked).body)
        try body.set(edits)
        guard let verifier = RevenueCatVerifier(authorization: Self.value, catalog: catalog) else {
            throw VerificationError.notConfigured
        }
        return try verifier.verify(Delivery(body: try body.bytes(), authorization: Self.value), now: asked.now)
    }
}

struct PurchaseKitWire: StoreWire {
    private static let secret = "whsec_0123456789"
    let catalog: Catalog

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        var text = try WireText(SimulatedPurchaseKit(secret: Self.secret).delivery(asked).body)
        try text.set(edits)
        let body = try text.bytes()
        guard let verifier = PurchaseKitVerifier(secret: Self.secret, catalog: catalog) else {
            throw VerificationError.notConfigured
        }
        let signature = Hex.encode(HMAC.authenticate(body, key: Array(Self.secret.utf8)))
        return try verifier.verify(Delivery(body: body, signature: signature), now: asked.now)
    }
}

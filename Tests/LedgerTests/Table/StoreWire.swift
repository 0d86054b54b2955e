import Crypto
import Domain
import Encoding
import Stores
import Support
import TestSupport

@testable import Simulator

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
        verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.production],
            roots: TrustedRoots(pem: authority.root) ?? .apple
        )
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

/// Any store whose deliveries one secret proves, with its settings as a development server opens it.
struct SecretWire: StoreWire {
    private let store: any SimulatedStore
    private let verifier: any StoreVerifier

    init(_ provider: Provider, catalog: Catalog) throws {
        let secret = "whsec_0123456789"
        var development = StoreDevelopment { nil }
        development.secret = secret
        var dependencies = StoreDependencies { TableScenario.start }
        (dependencies.catalog, dependencies.development) = (catalog, development)
        var settings = SettingsReader(flags: [:], environment: [:], isDevelopment: true)
        let opened = try Stores.all.first { $0.provider == provider }?.init(&settings).opened(dependencies)
        let simulated = SimulatedStores.store(provider) as? any SharedSecretStore.Type
        guard let store = simulated?.init(secret: secret), let opened else { throw VerificationError.notConfigured }
        self.store = store
        verifier = opened.verifier
    }

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        var text = try WireText(store.delivery(asked).body)
        try text.set(edits)
        let body = try text.bytes()
        let headers = try store.headers(of: body, at: asked.now)
        func value(_ name: String) -> String? { headers.first { $0.0.lowercased() == name }?.1 }
        let signature = verifier.signatureHeader.flatMap { value("\($0)") }
        let delivery = Delivery(body: body, authorization: value("authorization"), signature: signature)
        return try verifier.verify(delivery, now: asked.now)
    }
}

extension Store {
    fileprivate func opened(_ dependencies: StoreDependencies) throws(StoreError) -> (any OpenStore)? {
        try open(dependencies)
    }
}

public import Domain
internal import Settings
public import StoreInterface

/// Stripe with its settings in force. With a key, the current state of a subscription is read from the API.
public struct OpenStripeStore: OpenStore {
    public let verifier: any StoreVerifier
    public let stripeAPI: StripeAPI?

    public var api: (any StoreAPI)? { stripeAPI }
    public var nobodysPurchase: ContractKey? { stripeAPI?.nobodysSubscription }
}

extension StripeStore {
    /// In development, the simulated store's secret is used when none is set.
    public func open(_ surroundings: StoreSurroundings) -> OpenStripeStore? {
        let given = secrets.map(\.value)
        let verifier = StripeVerifier(
            secrets: given.isEmpty ? [surroundings.development?.secret].compactMap(\.self) : given,
            tolerance: tolerance,
            accounts: Set(accounts),
            catalog: surroundings.catalog
        )
        guard let verifier else { return nil }
        guard let api = stripeAPI(surroundings) else { return OpenStripeStore(verifier: verifier, stripeAPI: nil) }
        return OpenStripeStore(verifier: StripeReader(verifier, api: api, report: surroundings.report), stripeAPI: api)
    }

    /// Nil without a key.
    func stripeAPI(_ surroundings: StoreSurroundings) -> StripeAPI? {
        apiKey.map {
            StripeAPI(key: $0.value, address: apiURL, catalog: surroundings.catalog, witness: surroundings.witness)
        }
    }
}

extension StripeAPI {
    /// A subscription that does not exist, in the mode that the key belongs to.
    var nobodysSubscription: ContractKey {
        let environment = StoreEnvironment.ofStores.first(where: reads) ?? .production
        return ContractKey(provider: .stripe, environment: environment, app: "stripe", lineage: "sub_paycastdoctor")
    }
}

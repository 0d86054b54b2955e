public import Domain
internal import Support

/// Stripe with its settings in force. With a key, the current state of a subscription is read from the API.
public struct OpenStripeStore: OpenStore {
    public let verifier: any StoreVerifier
    public let stripeAPI: StripeAPI?

    public var api: (any StoreAPI)? { stripeAPI }
    public var nobodysPurchase: ContractKey? { stripeAPI?.nobodysSubscription }
}

extension StripeStore {
    /// In development, the simulated store's secret is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> OpenStripeStore? {
        let given = secrets.map(\.value)
        let verifier = StripeVerifier(
            secrets: given.isEmpty ? [dependencies.development?.secret].compactMap(\.self) : given,
            tolerance: tolerance,
            accounts: Set(accounts),
            catalog: dependencies.catalog,
            unlisted: dependencies.unlisted
        )
        guard let verifier else { return nil }
        guard let api = stripeAPI(dependencies) else { return OpenStripeStore(verifier: verifier, stripeAPI: nil) }
        let fetching = StripeFetchingVerifier(verifier, api: api, report: dependencies.report)
        return OpenStripeStore(verifier: fetching, stripeAPI: api)
    }

    /// Nil without a key.
    func stripeAPI(_ dependencies: StoreDependencies) -> StripeAPI? {
        apiKey.map {
            StripeAPI(key: $0.value, address: apiURL, catalog: dependencies.catalog, observer: dependencies.observer)
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

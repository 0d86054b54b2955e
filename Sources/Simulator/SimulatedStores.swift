public import Domain

/// The stores that can be simulated: a line each here and in `DevelopmentWorkspace.store`.
public enum SimulatedStores {
    static let all: [any SimulatedStore.Type] = [
        SimulatedAppStore.self, SimulatedGooglePlay.self, SimulatedStripe.self, SimulatedRevenueCat.self,
        SimulatedPurchaseKit.self,
    ]

    public static var providers: [Provider] { all.map { $0.provider } }
    public static var names: [String] { providers.map(\.rawValue) }

    /// The store's own names of its events.
    public static func types(of provider: Provider) -> [String] {
        all.first { $0.provider == provider }?.types ?? []
    }
}

extension DevelopmentWorkspace {
    /// The simulated store that signs with this workspace's keys.
    public func store(_ provider: Provider) -> (any SimulatedStore)? {
        switch provider {
        case .apple: SimulatedAppStore(signer: signer)
        case .stripe: SimulatedStripe(secret: storeSecrets.stripe)
        case .revenuecat: SimulatedRevenueCat(authorization: storeSecrets.revenueCat)
        case .purchasekit: SimulatedPurchaseKit(secret: storeSecrets.purchaseKit)
        case .google: SimulatedGooglePlay(key: google)
        default: nil
        }
    }
}

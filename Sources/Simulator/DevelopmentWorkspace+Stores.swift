public import Domain

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

public import Domain

extension DevelopmentWorkspace {
    /// The simulated store that signs with this workspace's keys; nil for a store that nobody plays.
    public func store(_ provider: Provider) -> (any SimulatedStore)? {
        switch provider {
        case .apple: SimulatedAppStore(signer: signer)
        case .stripe: SimulatedStripe(secret: storeSecrets.stripe)
        case .google, .revenuecat, .purchasekit: nil
        }
    }
}

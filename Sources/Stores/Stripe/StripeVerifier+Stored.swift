public import Domain
public import StoreInterface

extension StripeVerifier {
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try event(
            stored: stored.body,
            environment: stored.environment,
            app: stored.app,
            receivedAt: stored.receivedAt
        )
    }
}

public import Domain

extension StripeVerifier {
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try event(
            stored: stored.body,
            environment: stored.environment,
            app: stored.app,
            receivedAt: stored.receivedAt
        )
    }
}

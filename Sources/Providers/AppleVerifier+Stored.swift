public import Domain

extension AppleVerifier {
    /// Every document is judged at the instant at which it says that it was signed, so an old one proves as it did.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try verify(body: stored.body, now: stored.receivedAt)
    }
}

public import Domain

extension AppleVerifier {
    /// Every document is judged at the instant at which it says that it was signed, so an old one proves as it did.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let now = stored.receivedAt
        do throws(VerificationError) {
            return try verify(body: stored.body, now: now)
        } catch {
            // Neither a webhook's: an answer of the API, a transaction that an app posted.
            guard error == .malformed(.missingSignedPayload) || error == .malformed(.versionOne) else { throw error }
        }
        return try verify(statement: stored.body, now: now)
    }
}

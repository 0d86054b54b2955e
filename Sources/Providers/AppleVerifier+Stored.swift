public import Domain

extension AppleVerifier {
    /// Every document is judged at the instant at which it says that it was signed, so an old one proves as it did.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let now = stored.receivedAt
        do throws(VerificationError) {
            return try verify(body: stored.body, now: now)
        } catch {
            // A receipt: only Apple's API reads more of it than was read when it came.
            if error == .malformed(.invalidJSON) { return nil }
            guard error == .malformed(.missingSignedPayload) else { throw error }
        }
        // A transaction that an app posted, or an answer of the API.
        do throws(VerificationError) {
            return try verify(kept: stored.body, now: now)
        } catch {
            guard error == .malformed(.invalidJSON) else { throw error }
        }
        return try verify(statement: stored.body, now: now)
    }
}

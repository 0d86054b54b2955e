public import Domain
internal import Encoding

/// Interprets what the ledger stores: a webhook's body, an answer of the API, a transaction that an app posted, a
/// receipt, or a stored answer of `verifyReceipt`.
extension AppleVerifier {
    /// Certificates must be valid when each document was signed, not now, so an old document verifies as before.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let now = stored.receivedAt
        guard stored.body.first == UInt8(ascii: "{") else {
            let events = try AppleReceiptVerifier(beside: self).verify(stored.body, now: now)
            return events.first { $0.id == stored.id }
        }
        do throws(VerificationError) {
            return try verify(body: stored.body, now: now)
        } catch {
            guard error == .malformed(.missingSignedPayload) || error == .malformed(.versionOne) else { throw error }
        }
        let node = JSONNode(stored.body)
        if let answer = node?["verifyReceipt"] { return try migrate(answer, stored) }
        guard let transaction = node?["signedTransaction"]?.text else {
            return try verify(statement: stored.body, now: now)
        }
        let renewalInfo = node?["signedRenewalInfo"]?.text
        return try verify(transaction: transaction, renewalInfo: renewalInfo, body: stored.body, now: now)
    }

    private func migrate(_ answer: JSONNode, _ stored: StoredDelivery) throws(VerificationError) -> Event? {
        do throws(VerifyReceiptProblem) {
            let events = try AppleReceiptVerifier(beside: self)
                .migrate(answer, environment: stored.environment, body: stored.body, now: stored.receivedAt)
            return events.first { $0.id == stored.id }
        } catch .refused(let error) {
            throw error
        } catch {
            throw .malformed(.invalidReceipt)
        }
    }
}

public import Domain
internal import Encoding

/// The kinds of bodies that the ledger stores for Apple.
private enum StoredAppleBody {
    /// A webhook's body, or an entry of the notification history.
    case notification
    /// A statement of the App Store Server API.
    case statement
    /// A transaction that an app posted.
    case transaction(String, renewalInfo: String?)
    /// A receipt that an app posted; not JSON.
    case receipt
    /// A stored answer of `verifyReceipt`.
    case verifyReceipt(JSONNode)

    init(_ body: [UInt8]) {
        guard body.first == UInt8(ascii: "{") else {
            self = .receipt
            return
        }
        let node = JSONNode(body)
        // Checked first, because a stranger may post a genuine payload together with extra members.
        if let payload = node?["signedPayload"], !payload.isNull {
            self = .notification
        } else if let answer = node?["verifyReceipt"] {
            self = .verifyReceipt(answer)
        } else if let transaction = node?["signedTransaction"]?.text {
            self = .transaction(transaction, renewalInfo: node?["signedRenewalInfo"]?.text)
        } else {
            self = node?["status"] == nil ? .notification : .statement
        }
    }
}

extension AppleVerifier {
    /// Every document is verified as of the instant at which it says that it was signed, so an old document stays
    /// valid.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let body = stored.body
        let now = stored.receivedAt
        switch StoredAppleBody(body) {
        case .notification: return try verify(body: body, now: now)
        case .statement: return try verify(statement: body, now: now)
        case .transaction(let transaction, let renewalInfo):
            var event = try verifier(ofPosted: transaction)
                .verify(transaction: transaction, renewalInfo: renewalInfo, body: body, now: now)
            // Earlier versions did not count the renewal info.
            event.id = stored.id
            return event
        case .receipt:
            let events = try AppleReceiptVerifier(beside: self).verify(body, now: now)
            return events.first { $0.id == stored.id }
        case .verifyReceipt(let answer): return try migrate(answer, from: stored)
        }
    }

    private func migrate(_ answer: JSONNode, from stored: StoredDelivery) throws(VerificationError) -> Event? {
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

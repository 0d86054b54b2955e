internal import Crypto
internal import Domain
internal import Encoding

/// One item of Get All Subscription Statuses, verified.
struct AppleStatement {
    var status: Int
    var transaction: AppleTransaction
    var renewal: AppleRenewal?

    /// Apple gives statements no id: the same status with the same signed versions is the same statement.
    var eventID: String {
        let dates = [transaction.signedAt, renewal?.signedAt].map { String($0?.milliseconds ?? 0) }
        let words = [transaction.originalTransactionId, String(status), transaction.transactionId] + dates
        return "status:" + Hex.encode(SHA256.hash(Array(words.joined(separator: "/").utf8)))
    }

    var signedAt: Instant? { [transaction.signedAt, renewal?.signedAt].compactMap { $0 }.max() }

    var kind: EventKind {
        switch status {
        case 1: EventKind(appleTransaction: transaction)
        case 2: .subscriptionExpired
        case 3: .billingRetry
        case 4: .graceStarted
        case 5: transaction.isFamilyShared ? .familyRevoked : .refundCompleted
        default: .providerUnknown
        }
    }
}

/// How the ledger stores a statement. The members are Apple's.
struct AppleStatementBody: Decodable {
    var status: Int
    var signedTransactionInfo: String
    var signedRenewalInfo: String?

    /// Both texts have been verified, so nothing in them needs an escape.
    static func bytes(_ status: Int, transaction: String, renewal: String?) -> [UInt8] {
        let renewal = renewal.map { #","signedRenewalInfo":"\#($0)""# } ?? ""
        return Array(#"{"status":\#(status),"signedTransactionInfo":"\#(transaction)"\#(renewal)}"#.utf8)
    }
}

import Crypto
import Domain
import Encoding

/// One item of Get All Subscription Statuses, verified, or the same from what an app posted.
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
        case 1 where renewal?.autoRenewStatus == 0: .autoRenewOff
        case 1: EventKind(appleTransaction: transaction)
        case 2: .subscriptionExpired
        case 3: .billingRetry
        case 4: .graceStarted
        case 5: transaction.isFamilyShared ? .familyRevoked : .refundCompleted
        default: .providerUnknown
        }
    }
}

extension AppleStatement {
    /// Of what an app posted, where nothing states a status: the renewal info and its transaction tell it, as of the date
    /// on which the later one was signed. Nil if they do not belong to one statement, so that only the transaction counts.
    init?(posted transaction: AppleTransaction, renewal: AppleRenewal?) {
        guard let renewal, let status = renewal.status(of: transaction) else { return nil }
        self.init(status: status, transaction: transaction, renewal: renewal)
    }
}

extension AppleRenewal {
    /// StoreKit signs the two one after the other. Renewal info that is older than this beside its transaction is put
    /// together by the app: it must not pass for as new as the transaction is.
    private static let tolerance = Duration.seconds(60)

    /// Nil beside a transaction of another product or period, of which it says nothing: an app may put together whatever
    /// Apple has ever signed for it.
    fileprivate func status(of transaction: AppleTransaction) -> Int? {
        guard let end = transaction.expiresAt, !transaction.isUpgraded, isOfPeriod(of: transaction, until: end),
            let signedAt, let chargeSignedAt = transaction.signedAt, chargeSignedAt <= signedAt + AppleRenewal.tolerance
        else { return nil }
        let date = max(signedAt, chargeSignedAt)
        if transaction.revokedAt != nil { return 5 }
        if date < end, isInBillingRetry != true { return expirationIntent == nil ? 1 : nil }
        if let gracePeriodEndsAt, date < gracePeriodEndsAt { return 4 }
        if isInBillingRetry == true { return 3 }
        // Without a word that it has ended, its renewal may be on the way: time alone ends the access.
        return autoRenewStatus == 0 || expirationIntent != nil ? 2 : 1
    }

    /// `renewalDate` is when the most recent purchase expires
    /// (https://developer.apple.com/documentation/appstoreserverapi/renewaldate); Xcode writes fractions of a millisecond.
    private func isOfPeriod(of transaction: AppleTransaction, until end: Instant) -> Bool {
        guard let renewsAt, let productId, productId.hasSameBytes(as: transaction.productId) else { return false }
        return renewsAt <= end + .seconds(1) && end <= renewsAt + .seconds(1)
    }
}

/// A statement as Apple lists it, and as the ledger stores it. The members are Apple's.
struct AppleStatementBody {
    let status: Int
    let transaction: String
    let renewal: String?

    init(_ object: StoreObject) throws(VerificationError) {
        guard let status = try object.wholeNumber("status").flatMap({ Int(exactly: $0) }) else {
            throw .malformed(.invalidPayload)
        }
        self.status = status
        transaction = try object.statedString("signedTransactionInfo")
        renewal = try object.string("signedRenewalInfo")
    }

    /// Both texts have been verified, so nothing in them needs an escape.
    var bytes: [UInt8] {
        let renewal = renewal.map { #","signedRenewalInfo":"\#($0)""# } ?? ""
        return Array(#"{"status":\#(status),"signedTransactionInfo":"\#(transaction)"\#(renewal)}"#.utf8)
    }
}

/// The state of a subscription, derived from `data.status` and the renewal info, never from an event's name
/// (https://developer.apple.com/documentation/appstoreservernotifications/status).
extension AppleStatement {
    /// Nil for an undocumented status, and when an older period was refunded and the end of the current one is unknown. `outer`
    /// is when what holds the statement was signed, for one that has no date of its own.
    func snapshot(outer: Instant) -> Snapshot? {
        let signedAt = signedAt ?? outer
        guard let state = state(at: signedAt), let accessUntil else { return nil }
        return Snapshot(
            state: state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: renews,
            accessUntil: accessUntil,
            signedAt: signedAt,
            isTrial: transaction.isTrial && !isOfThePast
        )
    }

    private func state(at signedAt: Instant) -> ContractState? {
        switch status {
        case 1: renews ? .active : .cancelled
        case 2: .expired
        case 3: isPaidAhead(at: signedAt) ? .inGracePeriod : .inBillingRetry
        case 4: .inGracePeriod
        case 5: .revoked
        default: nil
        }
    }

    /// Without renewal info, assume that a running contract renews.
    private var renews: Bool { renewal?.autoRenewStatus.map { $0 == 1 } ?? [1, 3, 4].contains(status) }

    /// Apple tries to charge up to 24 hours before a period ends: what is paid is kept until then
    /// (https://developer.apple.com/documentation/storekit/handling-subscriptions-billing).
    private func isPaidAhead(at signedAt: Instant) -> Bool {
        guard !isOfThePast, let end = transaction.expiresAt else { return false }
        return end > signedAt
    }

    /// A notification may carry an old transaction, which was refunded or replaced by an upgrade.
    private var isOfThePast: Bool {
        status != 5 && (transaction.revokedAt != nil || transaction.isUpgraded)
    }

    private var product: String {
        isOfThePast ? renewal?.productId ?? transaction.productId : transaction.productId
    }

    private var pendingProduct: String? {
        guard renews, let next = renewal?.autoRenewProductId, next != product else { return nil }
        return next
    }

    private var accessUntil: Instant? {
        guard status == 4 else { return periodEnd }
        return renewal?.gracePeriodEndsAt ?? periodEnd.map { $0 + AppleStatement.shortestGrace }
    }

    /// What status 4 gives when it comes without `gracePeriodExpiresDate`; the next statement says more. App Store Connect
    /// lets an app choose 3, 16 or 28 days
    /// (https://developer.apple.com/help/app-store-connect/manage-subscriptions/enable-billing-grace-period-for-auto-renewable-subscriptions).
    private static let shortestGrace = Duration.seconds(3 * 86_400)

    private var periodEnd: Instant? {
        if isOfThePast, [1, 4].contains(status) { return renewal?.renewsAt }
        return transaction.expiresAt ?? renewal?.renewsAt
    }
}

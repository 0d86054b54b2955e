internal import Domain

/// The state of a subscription from what Apple states, never from an event's name: `data.status` and the renewal info
/// (https://developer.apple.com/documentation/appstoreservernotifications/status).
struct AppleSnapshot {
    var status: Int
    var transaction: AppleTransaction
    var renewal: AppleRenewal?
    var signedAt: Instant

    /// Nil for a status that is not documented, and when an older period was refunded and the end of the running one
    /// is unknown.
    var snapshot: Snapshot? {
        guard let state, let accessUntil else { return nil }
        return Snapshot(
            state: state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: renews,
            accessUntil: accessUntil,
            signedAt: signedAt
        )
    }

    private var state: ContractState? {
        switch status {
        case 1: renews ? .active : .cancelled
        case 2: .expired
        case 3: .inBillingRetry
        case 4: .inGracePeriod
        case 5: .revoked
        default: nil
        }
    }

    /// Without renewal info a running contract is taken to go on.
    private var renews: Bool { renewal?.autoRenewStatus.map { $0 == 1 } ?? [1, 3, 4].contains(status) }

    /// A notification may carry a transaction of the past: refunded, or replaced by an upgrade.
    private var isOfThePast: Bool {
        status != 5 && (transaction.revocationDate != nil || transaction.isUpgraded == true)
    }

    private var product: String {
        isOfThePast ? renewal?.productId ?? transaction.productId : transaction.productId
    }

    private var pendingProduct: String? {
        guard renews, let next = renewal?.autoRenewProductId, next != product else { return nil }
        return next
    }

    private var accessUntil: Instant? {
        if status == 4, let end = renewal?.gracePeriodExpiresDate?.instant { return end }
        if isOfThePast, [1, 4].contains(status) { return renewal?.renewalDate?.instant }
        return transaction.expiresDate?.instant ?? renewal?.renewalDate?.instant
    }
}

internal import Domain

/// The state of a subscription, derived from `data.status` and the renewal info, never from an event's name
/// (https://developer.apple.com/documentation/appstoreservernotifications/status).
struct AppleSnapshot {
    var status: Int
    var transaction: AppleTransaction
    var renewal: AppleRenewal?
    var signedAt: Instant

    /// Nil for an undocumented status, and when an older period was refunded and the end of the current one is unknown.
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

    /// Without renewal info, assume that a running contract renews.
    private var renews: Bool { renewal?.autoRenewStatus.map { $0 == 1 } ?? [1, 3, 4].contains(status) }

    /// A notification may carry an old transaction, which was refunded or replaced by an upgrade.
    private var isOfThePast: Bool {
        status != 5 && (transaction.revokedAt != nil || transaction.isUpgraded == true)
    }

    private var product: String {
        isOfThePast ? renewal?.productId ?? transaction.productId : transaction.productId
    }

    private var pendingProduct: String? {
        guard renews, let next = renewal?.autoRenewProductId, next != product else { return nil }
        return next
    }

    private var accessUntil: Instant? {
        if status == 4, let end = renewal?.gracePeriodEndsAt { return end }
        if isOfThePast, [1, 4].contains(status) { return renewal?.renewsAt }
        return transaction.expiresAt ?? renewal?.renewsAt
    }
}

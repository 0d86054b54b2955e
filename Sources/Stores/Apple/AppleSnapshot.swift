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
        case 3: isPaidAhead ? .inGracePeriod : .inBillingRetry
        case 4: .inGracePeriod
        case 5: .revoked
        default: nil
        }
    }

    /// Without renewal info, assume that a running contract renews.
    private var renews: Bool { renewal?.autoRenewStatus.map { $0 == 1 } ?? [1, 3, 4].contains(status) }

    /// Apple tries to charge up to 24 hours before a period ends: what is paid is kept until then
    /// (https://developer.apple.com/documentation/storekit/handling-subscriptions-billing).
    private var isPaidAhead: Bool {
        guard !isOfThePast, let end = transaction.expiresAt else { return false }
        return end > signedAt
    }

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
        guard status == 4 else { return periodEnd }
        return renewal?.gracePeriodEndsAt ?? periodEnd.map { $0 + AppleSnapshot.shortestGrace }
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

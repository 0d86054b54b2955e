internal import Domain
internal import Encoding

/// An item of `pending_renewal_info`: what Apple said about the next period, at one instant.
public struct StoredRenewal: Sendable {
    var renews: Bool
    var nextProduct: String?
    var isInBillingRetry: Bool
    var graceUntil: Instant?
    /// The date of that statement.
    var asOf: Instant

    /// The state of the subscription, from the renewal and its transaction.
    func snapshot(of transaction: Transaction) -> Snapshot {
        let state = state(transaction)
        let end = transaction.revokedAt ?? (state == .inGracePeriod ? graceUntil : transaction.expiresAt)
        return Snapshot(
            state: state,
            product: transaction.product,
            pendingProduct: renews && nextProduct != transaction.product ? nextProduct : nil,
            autoRenew: renews,
            accessUntil: end,
            signedAt: asOf
        )
    }

    private func state(_ transaction: Transaction) -> ContractState {
        if transaction.revokedAt != nil { return .revoked }
        guard let end = transaction.expiresAt, end <= asOf else { return renews ? .active : .cancelled }
        if let graceUntil, asOf < graceUntil { return .inGracePeriod }
        return isInBillingRetry ? .inBillingRetry : .expired
    }

    var versionText: String {
        "\(renews)/\(nextProduct ?? "-")/\(isInBillingRetry)/\(graceUntil?.milliseconds ?? 0)"
    }
}

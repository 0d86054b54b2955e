internal import Domain

extension GooglePurchase {
    /// Its statement about its contract. The notification only decides what an end is called, because Google says
    /// `EXPIRED` for a revoked subscription as well.
    func observation(after notification: GoogleNotification?) -> Observation {
        let isRevoked =
            notification?.type == "SUBSCRIPTION_REVOKED" || notification?.refund.map(isTakenBack) ?? false
        return Observation(
            contract: key(of: token),
            kind: kind,
            token: account.flatMap { OrderToken($0) },
            account: account,
            previousLineage: previousToken.map { key(of: $0).lineage },
            transaction: kind == .subscription
                ? period(isRevoked: isRevoked) : charge(isRevoked: isRevoked, sentAt: notification?.sentAt),
            snapshot: kind == .subscription
                ? snapshot(
                    isRevoked: isRevoked,
                    isPausing: notification?.type == "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED"
                ) : openPayment
        )
    }

    private func key(of token: String) -> ContractKey {
        let key = ContractKey(provider: .google, environment: environment, app: package, lineage: token)
        return line.map { key.line($0) } ?? key
    }

    private func snapshot(isRevoked: Bool, isPausing: Bool) -> Snapshot? {
        guard let state else { return nil }
        return Snapshot(
            state: state == .expired && isRevoked ? .revoked : state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: autoRenew,
            accessUntil: accessUntil,
            signedAt: readAt,
            isPausing: isPausing && (state == .active || state == .cancelled)
        )
    }

    /// A subscription's charge states when it was bought, its price, and whether it was revoked; the snapshot decides
    /// everything else. Nil if nothing was paid. An ended subscription reads the same before and after a `REVOKED`
    /// notification, so an ended charge is dated by its purchase: a revocation wins, whatever the order of the two.
    private func period(isRevoked: Bool) -> Transaction? {
        guard let state, state != .pending, let purchasedAt, let accessUntil else { return nil }
        let isEnded = state == .expired
        return Transaction(
            id: order ?? token,
            product: product,
            purchasedAt: purchasedAt,
            expiresAt: accessUntil,
            revokedAt: isEnded && isRevoked ? accessUntil : nil,
            price: price?.amount,
            currency: price?.currency,
            signedAt: isEnded && !isRevoked ? purchasedAt : readAt
        )
    }

    /// A one-time purchase is its charge. Once revoked, it stays so, whatever a later reading says: Google still
    /// reports `PURCHASED` for some voided purchases. So the charge is dated by its purchase, not by the reading. Only
    /// the void knows the day of the end, whenever it is read, so a revocation without a void is dated before it.
    private func charge(isRevoked: Bool, sentAt: Instant?) -> Transaction? {
        guard let purchasedAt, state == .owned || state == .revoked else { return nil }
        // The refunded quantity only grows, so the reading that states more is the newer one.
        let first = purchasedAt + .milliseconds(1001)
        var revokedAt = Instant?.none
        var signedAt = purchasedAt + .milliseconds(refunded)
        if isRevoked {
            signedAt = max(min(sentAt ?? readAt, readAt), first + .milliseconds(1))
            revokedAt = signedAt
        } else if state == .revoked {
            revokedAt = max(readAt, first)
            signedAt = first
        }
        return Transaction(
            id: order ?? token,
            product: product,
            purchasedAt: purchasedAt,
            revokedAt: revokedAt,
            quantity: quantity,
            price: price?.amount,
            currency: price?.currency,
            signedAt: signedAt
        )
    }

    /// A one-time purchase whose payment is pending or never came. The pending state is older than everything after it.
    private var openPayment: Snapshot? {
        guard let state, state == .pending || state == .expired else { return nil }
        return .of(state, product: product, at: state == .pending ? Instant(milliseconds: 0) : readAt)
    }
}

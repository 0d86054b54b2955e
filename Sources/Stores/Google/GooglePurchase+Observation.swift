internal import Domain

extension GooglePurchase {
    /// What it says of its contract. The label decides nothing but how an end is called: Google says `EXPIRED` of a
    /// revoked subscription as well.
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

    /// A subscription's charge tells when it was bought, the price, and that it was taken back; its state decides
    /// everything else. Nil where nothing was paid. The end is read alike before and after Google says `REVOKED`: an
    /// ended charge is dated by itself, so that no order of the two makes it forget that it was taken back.
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

    /// A one-time purchase is its charge. What was taken back stays so, whatever is read later: Google goes on to say
    /// `PURCHASED` of some that were voided. So a purchase is dated by itself. The day of its end is known to the void
    /// alone, whenever it is read; a reading without one comes before it in the order.
    private func charge(isRevoked: Bool, sentAt: Instant?) -> Transaction? {
        guard let purchasedAt, state == .owned || state == .revoked else { return nil }
        // Never less is paid back than before, so the reading that says more is the newer one.
        let first = purchasedAt + .milliseconds(1001)
        var (revokedAt, signedAt) = (Instant?.none, purchasedAt + .milliseconds(refunded))
        if isRevoked {
            signedAt = max(min(sentAt ?? readAt, readAt), first + .milliseconds(1))
            revokedAt = signedAt
        } else if state == .revoked {
            (revokedAt, signedAt) = (max(readAt, first), first)
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

    /// A one-time purchase whose payment is awaited, or did not come. Waiting is older than everything that follows.
    private var openPayment: Snapshot? {
        guard let state, state == .pending || state == .expired else { return nil }
        return Snapshot(
            state: state,
            product: product,
            autoRenew: false,
            accessUntil: nil,
            signedAt: state == .pending ? Instant(milliseconds: 0) : readAt
        )
    }
}

public import Domain

/// A purchase as Google's API told it at one instant: `subscriptionsv2` or `productsv2`
/// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2).
public struct GooglePurchase: Sendable {
    let token: String
    let package: String
    let kind: ProductKind
    let product: String
    /// Nil for a state that is not documented: what was known before stays.
    let state: ContractState?
    var pendingProduct: String?
    var autoRenew = false
    var accessUntil: Instant?
    var purchasedAt: Instant?
    /// Google's number of the newest charge; it differs with each renewal.
    var order: String?
    var quantity = 1
    var price: (amount: Int64, currency: String)?
    /// The purchase that this one replaces.
    var previousToken: String?
    /// It comes back after the other one has ended, outside the app.
    var isResubscription = false
    var account: String?
    var isTest = false
    var isUnacknowledged = false
    /// When the reading was begun: what it says is at least as new.
    public let readAt: Instant

    public var environment: StoreEnvironment { isTest ? .sandbox : .production }

    var startKind: EventKind {
        if pendingProduct != nil { return .planChangeScheduled }
        if isResubscription { return .subscriptionResubscribed }
        return previousToken == nil ? .subscriptionStarted : .planChanged
    }

    /// What it says of its contract. The label decides nothing but how an end is called: Google says `EXPIRED` of a
    /// revoked subscription as well.
    func observation(after notification: GoogleNotification?) -> Observation {
        let isRefund =
            notification?.type == "SUBSCRIPTION_REVOKED"
            || notification?.type == "VOIDED_PURCHASE" && notification?.isWhole == true
        return Observation(
            contract: ContractKey(provider: .google, environment: environment, app: package, lineage: token),
            kind: kind,
            token: account.flatMap { OrderToken($0) },
            account: account,
            previousLineage: previousToken,
            transaction: transaction(isRefunded: isRefund),
            snapshot: snapshot(
                isRefunded: isRefund,
                isPausing: notification?.type == "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED"
            )
        )
    }

    private func snapshot(isRefunded: Bool, isPausing: Bool) -> Snapshot? {
        guard let state, kind == .subscription || state == .pending || state == .expired else { return nil }
        return Snapshot(
            state: state == .expired && isRefunded ? .revoked : state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: autoRenew,
            accessUntil: accessUntil,
            signedAt: readAt,
            isPausing: isPausing && (state == .active || state == .cancelled)
        )
    }

    /// A one-time purchase is its charge; a subscription's charges carry the price only, its state decides.
    private func transaction(isRefunded: Bool) -> Transaction? {
        guard kind != .subscription, let purchasedAt, state == .owned || state == .revoked else { return nil }
        return Transaction(
            id: order ?? token,
            product: product,
            purchasedAt: purchasedAt,
            revokedAt: state == .revoked || isRefunded ? readAt : nil,
            quantity: quantity,
            price: price?.amount,
            currency: price?.currency,
            signedAt: readAt
        )
    }

    /// Google takes the money back after three days without it, and after minutes from testers
    /// (https://developer.android.com/google/play/billing/integrate#process).
    var errands: [Errand] {
        guard isUnacknowledged, let state, state.givesAccess else { return [] }
        let isSubscription = kind == .subscription
        return [
            Errand(
                kind: kind == .consumable ? .consume : .acknowledge,
                provider: .google,
                environment: environment,
                app: package,
                subject: token,
                detail: "\(isSubscription ? "subscriptions" : "products")/\(product)",
                deadline: (purchasedAt ?? readAt) + .seconds(3 * 86_400)
            )
        ]
    }
}

extension GooglePurchase {
    /// A statement of its own, read before the end of a period is believed.
    public func statement(body: [UInt8], id: String) -> Event {
        Event(
            provider: .google,
            environment: environment,
            app: package,
            id: id,
            type: "STATEMENT",
            kind: .contractUpdated,
            signedAt: readAt,
            observation: observation(after: nil),
            errands: errands,
            body: body
        )
    }
}

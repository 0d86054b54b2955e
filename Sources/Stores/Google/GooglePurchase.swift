public import Domain

/// A purchase as Google's API reported it at one instant: `subscriptionsv2` or `productsv2`
/// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2).
public struct GooglePurchase: Sendable {
    /// Google's tokens have about 150 bytes.
    static let tokenLimit = 1024

    let token: String
    let package: String
    let product: String
    /// When the reading began: what it says is at least as new.
    public let readAt: Instant
    var kind = ProductKind.subscription
    /// Nil for an undocumented state: then the previous state stays.
    var state: ContractState?
    /// The product's own id, unless it is the first product of the purchase.
    var line: String?
    /// The purchase's other products, each as a purchase of its own.
    var further: [GooglePurchase] = []
    /// An undocumented state, as Google wrote it.
    var strangeState: String?
    var pendingProduct: String?
    var autoRenew = false
    var accessUntil: Instant?
    var purchasedAt: Instant?
    /// Google's number of the newest charge; it changes with each renewal.
    var order: String?
    /// The purchase option of a rental.
    var option: String?
    /// How many of a one-time product are left; `bought` is how many there were, and `refunded` how many were refunded.
    var quantity = 1
    var bought = 1
    var refunded: Int64 = 0
    var price: (amount: Int64, currency: String)?
    /// The purchase that this one replaces.
    var previousToken: String?
    /// The user bought it outside the app, after the other purchase had ended.
    var isResubscription = false
    /// `trial`, `introductory`, or `offer` for any other offer.
    var offer: String?
    /// Google's id of it.
    var offerID: String?
    /// Whether the newest charge cost what renewals cost.
    var isFullyPriced = true
    /// Why it ended: `voluntary`, `billing`, `price`, `replaced` or `other`.
    var endReason: String?
    var isPriceAccepted = false
    var account: String?
    var isPrepaid = false
    var isTest = false
    var isUnacknowledged = false

    public var environment: StoreEnvironment { isTest ? .sandbox : .production }

    var startKind: EventKind {
        if pendingProduct != nil { return .planChangeScheduled }
        if isResubscription { return .subscriptionResubscribed }
        return previousToken == nil ? .subscriptionStarted : .planChanged
    }

    /// Whether the void ends this purchase. A void of an earlier period's charge does not, nor does a partial one.
    func isTakenBack(by refund: GoogleNotification.Refund) -> Bool {
        guard refund.isWhole else { return false }
        if kind == .subscription { return state == .expired && order != nil && refund.order == order }
        return order == nil || refund.order == nil || refund.order == order
    }

    /// Google refunds a purchase that is not acknowledged within three days, or within minutes for testers
    /// (https://developer.android.com/google/play/billing/integrate#process).
    ///
    /// A purchase of several products is acknowledged once. It is consumed if all of them are consumables.
    var jobs: [Job] {
        guard isUnacknowledged, let state, state.givesAccess else { return [] }
        let isSubscription = kind == .subscription
        let isConsumed = ([self] + further).allSatisfy { $0.kind == .consumable }
        let verb: Job.Kind = isConsumed ? .consume : .acknowledge
        var job = Job(kind: verb, provider: .google, environment: environment, app: package, subject: token)
        job.detail = "\(isSubscription ? "subscriptions" : "products")/\(product)"
        job.deadline = (purchasedAt ?? readAt) + acknowledgementTerm
        return [job]
    }

    /// Three days, or half of the prepaid time if that is less than a week.
    private var acknowledgementTerm: Duration {
        let usual = Duration.seconds(3 * 86_400)
        guard isPrepaid, let purchasedAt, let accessUntil, purchasedAt < accessUntil,
            accessUntil < purchasedAt + .seconds(7 * 86_400)
        else { return usual }
        return min(usual, .milliseconds((accessUntil.milliseconds - purchasedAt.milliseconds) / 2))
    }

    /// The event for a reading without a notification, for example before a period's end is trusted.
    public func statement(body: [UInt8], id: String) -> Event {
        Event(
            provider: .google,
            environment: environment,
            app: package,
            id: id,
            type: "STATEMENT",
            subtype: strangeState,
            kind: .contractUpdated,
            signedAt: readAt,
            observation: observation(after: nil),
            further: further.map { $0.observation(after: nil) },
            isWhole: true,
            jobs: jobs,
            body: body
        )
    }
}

extension GooglePurchase {
    /// Joins products that were bought together: the first represents the purchase, the others get names of their own.
    init?(
        _ items: [(product: String, item: StoreObject)],
        token: String,
        package: String,
        readAt: Instant,
        take: (inout GooglePurchase, StoreObject) -> Void
    ) {
        let all = items.map { product, item in
            var one = GooglePurchase(token: token, package: package, product: product, readAt: readAt)
            take(&one, item)
            return one
        }
        guard let first = all.first else { return nil }
        self = first
        further = all.dropFirst().map { one in
            var one = one
            one.line = one.product
            return one
        }
    }

    /// Reads `ProductPurchaseV2`
    /// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2). Nil if it is not one.
    public init?(product body: [UInt8], token: String, package: String, catalog: Catalog, readAt: Instant) {
        guard let purchase = try? StoreObject(body),
            let said = purchase.object("purchaseStateContext")?.text("purchaseState")
        else { return nil }
        let state = GooglePurchase.state(said, isPaid: purchase.date("purchaseCompletionTime") != nil)
        let items = GooglePurchase.items(purchase.objects("productLineItem"), in: catalog)
        self.init(items, token: token, package: package, readAt: readAt) { one, item in
            let offer = item.object("productOfferDetails")
            let bought = max(1, offer?.integer("quantity") ?? 1)
            // The quantity that was not refunded: voids by quantity take one after another.
            let left = min(bought, max(0, offer?.integer("refundableQuantity") ?? bought))
            // Google says that it was rented, and not for how long.
            if offer?.has("rentOfferDetails") == true { one.option = offer?.text("purchaseOptionId") ?? "" }
            one.kind = one.option == nil ? catalog.kind(bought: one.product) : .nonRenewing
            one.state = left == 0 && state == .owned ? .revoked : state
            one.quantity = Int(clamping: max(1, left))
            one.bought = Int(clamping: bought)
            one.refunded = Int64(min(bought - left, 1000))
            one.take(purchase, state: said)
        }
    }

    private mutating func take(_ purchase: StoreObject, state said: String) {
        strangeState = state == nil ? said : nil
        purchasedAt = purchase.date("purchaseCompletionTime")
        order = purchase.text("orderId")
        account = purchase.text("obfuscatedExternalAccountId")
        isTest = purchase.has("testPurchaseContext")
        isUnacknowledged = purchase.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING"
    }

    /// A canceled purchase that was paid was refunded; if it was not paid, its payment never came.
    private static func state(_ said: String, isPaid: Bool) -> ContractState? {
        switch (said, isPaid) {
        case ("PURCHASED", true): .owned
        case ("PENDING", _): .pending
        case ("CANCELLED", true), ("CANCELED", true): .revoked
        case ("CANCELLED", false), ("CANCELED", false): .expired
        default: nil
        }
    }
}

extension GooglePurchase {
    /// The products of one purchase, each once; the first one represents the purchase.
    ///
    /// Google's order means nothing and differs between answers, so we sort: products in the catalog before others, then
    /// by level, then by the product's id.
    static func items(_ listed: [StoreObject], in catalog: Catalog) -> [(product: String, item: StoreObject)] {
        var newest: [String: StoreObject] = [:]
        for item in listed {
            guard let product = item.text("productId") else { continue }
            let known = newest[product]?.date("expiryTime")
            let end = item.date("expiryTime")
            if let known, known >= end ?? known { continue }
            newest[product] = item
        }
        return newest.map { ($0.key, $0.value) }.sorted { left, right in
            let a = catalog[left.0]
            let b = catalog[right.0]
            guard (a == nil) == (b == nil) else { return a != nil }
            guard (a?.level ?? 0) == (b?.level ?? 0) else { return (a?.level ?? 0) > (b?.level ?? 0) }
            return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
        }
    }

    /// Its statement about its contract. The notification only decides what an end is called, because Google says
    /// `EXPIRED` for a revoked subscription as well.
    func observation(after notification: GoogleNotification?) -> Observation {
        let isRevoked =
            notification?.type == "SUBSCRIPTION_REVOKED" || notification?.refund.map(isTakenBack) ?? false
        let isPausing = notification?.type == "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED"
        var observation = Observation(contract: key(of: token), kind: kind)
        observation.token = account.flatMap { OrderToken($0) }
        observation.account = account
        observation.previousLineage = previousToken.map { key(of: $0).lineage }
        if kind == .subscription {
            observation.transaction = period(isRevoked: isRevoked)
            observation.snapshot = snapshot(isRevoked: isRevoked, isPausing: isPausing)
        } else {
            observation.transaction = charge(isRevoked: isRevoked, sentAt: notification?.sentAt)
            observation.snapshot = openPayment
        }
        observation.charges = charges(after: notification, isRevoked: isRevoked, order: observation.token)
        return observation
    }

    /// The rows of its newest charge, and of the one that a void takes back, which may be an older one. Google says what renewals
    /// cost, and nothing of one-time products' prices and of taxes.
    private func charges(after notification: GoogleNotification?, isRevoked: Bool, order token: OrderToken?) -> [Charge]
    {
        var charges: [Charge] = []
        let saidAt = min(notification?.sentAt ?? readAt, readAt)
        let isPaid =
            kind == .subscription ? state != .pending && accessUntil != nil : state == .owned || state == .revoked
        if let purchasedAt, state != nil, isPaid {
            let number = order ?? self.token
            // Only the first charge has no number of its own: Google does not date the others.
            let isFirst = number.firstRange(of: "..") == nil
            var terms = ChargeTerms(product: product, purchasedAt: isFirst ? purchasedAt : saidAt, statedAt: readAt)
            terms.quantity = kind == .subscription ? 1 : bought
            terms.isTrial = offer == "trial"
            terms.price = terms.isTrial ? 0 : isFullyPriced ? price?.amount : nil
            terms.currency = price?.currency
            terms.offer = offerID ?? (terms.isTrial || offer == "introductory" ? offer : nil)
            terms.expiresAt = kind == .subscription ? accessUntil : nil
            terms.order = token
            charges = [Charge(id: number, terms: terms, refund: refund(isRevoked: isRevoked, at: saidAt))]
        }
        // A void by quantity names no product: which of several it is of, only the purchase says.
        guard let void = notification?.refund, let voided = void.order, void.account == nil,
            void.isWhole || line == nil && further.isEmpty
        else { return charges }
        return charges + [Charge(id: voided, refund: .google(at: saidAt, isWhole: void.isWhole, count: 0))]
    }

    /// As far as the purchase itself says it.
    private func refund(isRevoked: Bool, at date: Instant) -> Charge.Refund? {
        let isWhole = isRevoked ? kind != .subscription || state == .expired : state == .revoked
        guard isWhole || refunded > 0 else { return nil }
        return .google(at: date, isWhole: isWhole, count: refunded)
    }

    private func key(of token: String) -> ContractKey {
        let key = ContractKey(provider: .google, environment: environment, app: package, lineage: token)
        return line.map { key.line($0) } ?? key
    }

    private func snapshot(isRevoked: Bool, isPausing: Bool) -> Snapshot? {
        guard let state else { return nil }
        let isAwaitingSuccessor = !isRevoked && isReplaced
        return Snapshot(
            state: isAwaitingSuccessor ? .active : state == .expired && isRevoked ? .revoked : state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: isAwaitingSuccessor ? nil : autoRenew,
            accessUntil: accessUntil,
            signedAt: readAt,
            isPausing: isPausing && (state == .active || state == .cancelled),
            isTrial: offer == "trial"
        )
    }

    /// Another purchase continues it, and may not have been read yet. So it ends as a period does whose renewal is expected:
    /// with the policy's leeway, or with the purchase that names it.
    private var isReplaced: Bool { state == .expired && endReason == "replaced" }

    /// A subscription's charge states when it was bought, its price, and whether it was revoked; the snapshot decides
    /// everything else. Nil if nothing was paid. An ended subscription reads the same before and after a `REVOKED`
    /// notification, so an ended charge is dated by its purchase: a revocation wins, whatever the order of the two.
    private func period(isRevoked: Bool) -> Transaction? {
        guard let state, state != .pending, let purchasedAt, let accessUntil else { return nil }
        let isEnded = state == .expired
        var charge = charge(purchasedAt, signedAt: isEnded && !isRevoked ? purchasedAt : readAt)
        charge.expiresAt = accessUntil
        charge.revokedAt = isEnded && isRevoked ? accessUntil : nil
        return charge
    }

    /// A one-time purchase is its charge. Once revoked, it stays so, whatever a later reading says: Google still
    /// reports `PURCHASED` for some voided purchases. So the charge is dated by its purchase, not by the reading. Only
    /// the void knows the day of the end, whenever it is read, so a revocation without a void is dated before it.
    private func charge(isRevoked: Bool, sentAt: Instant?) -> Transaction? {
        guard let purchasedAt, state == .owned || state == .revoked else { return nil }
        // The refunded quantity only grows, so the reading that states more is the newer one.
        let first = purchasedAt + .milliseconds(1001)
        var charge = charge(purchasedAt, signedAt: purchasedAt + .milliseconds(refunded))
        if isRevoked {
            charge.signedAt = max(min(sentAt ?? readAt, readAt), first + .milliseconds(1))
            charge.revokedAt = charge.signedAt
        } else if state == .revoked {
            charge.revokedAt = max(readAt, first)
            charge.signedAt = first
        }
        charge.quantity = quantity
        return charge
    }

    private func charge(_ purchasedAt: Instant, signedAt: Instant) -> Transaction {
        var charge = Transaction(id: order ?? token, product: product, purchasedAt: purchasedAt, signedAt: signedAt)
        (charge.price, charge.currency) = (price?.amount, price?.currency)
        (charge.isTrial, charge.option) = (offer == "trial", option)
        return charge
    }

    /// A one-time purchase whose payment is pending or never came. The pending state is older than everything after it.
    private var openPayment: Snapshot? {
        guard let state, state == .pending || state == .expired else { return nil }
        let name = Catalog.name(of: product, option: option)
        return .of(state, product: name, at: state == .pending ? Instant(milliseconds: 0) : readAt)
    }
}

extension Charge.Refund {
    /// Google takes no refund back, and dates none but by its notification: the one that gives more back counts, however often it is
    /// told, and the first that told it.
    fileprivate static func google(at date: Instant, isWhole: Bool, count: Int64) -> Charge.Refund {
        Charge.Refund(at: date, isPartial: !isWhole, statedAt: Instant(milliseconds: isWhole ? 2000 : count))
    }
}

internal import Crypto
internal import Domain
internal import Encoding

/// `JWSTransactionDecodedPayload`, as far as we read it.
struct AppleTransaction: SignedDocument {
    var transactionId: String
    var originalTransactionId: String
    var previousOriginalTransactionId: String?
    var appTransactionId: String?
    var bundleId: String?
    var environment: String?
    var productId: String
    var subscriptionGroupIdentifier: String?
    var type: String?
    var appAccountToken: String?
    var inAppOwnershipType: String?
    @Lossy var transactionReason: String?
    var purchaseDate: AppleDate
    var expiresDate: AppleDate?
    var revocationDate: AppleDate?
    @Lossy var revocationType: String?
    @Lossy var revocationPercentage: Int?
    var signedDate: AppleDate?
    @Lossy var isUpgraded: Bool?
    @Lossy var quantity: Int?
    @Lossy var price: Double?
    @Lossy var currency: String?

    var signedAt: Instant? { signedDate?.instant }
    var isFamilyShared: Bool { inAppOwnershipType == "FAMILY_SHARED" }

    /// Ids that may be stored and shown.
    var isPlausible: Bool {
        [transactionId, originalTransactionId, productId].allSatisfy { isPlain($0) }
            && [previousOriginalTransactionId, appTransactionId, subscriptionGroupIdentifier]
                .allSatisfy { $0.map { isPlain($0) } ?? true }
    }

    /// A type that we do not know counts as a consumable unless it expires: that never opens lasting access.
    var kind: ProductKind {
        switch type {
        case "Auto-Renewable Subscription": .subscription
        case "Non-Renewing Subscription": .nonRenewing
        case "Non-Consumable": .nonConsumable
        case "Consumable": .consumable
        default: expiresDate == nil ? .consumable : .subscription
        }
    }

    /// Not a renewal, which repeats the token of the purchase before it. What was signed before Apple stated the reason:
    /// the first transaction of its lineage.
    private var isPurchase: Bool {
        transactionReason.map { $0 == "PURCHASE" } ?? (transactionId == originalTransactionId)
    }

    /// Part of the price went back, and what was bought stays: only of what is bought once, for a prorated refund ends a
    /// subscription's period (https://developer.apple.com/documentation/storekit/transaction/revocationpercentage).
    /// Whoever is not refunded but removed (`FAMILY_REVOKE`) loses it whole.
    private var isRefundedInPart: Bool {
        guard kind != .subscription, revocationDate != nil else { return false }
        // Thousandths of a percent. What cannot be one is not stated.
        let part = revocationPercentage.flatMap { (0...100_000).contains($0) ? $0 < 100_000 : nil }
        switch revocationType {
        case "REFUND_PRORATED": return part ?? true
        case nil: return part ?? false
        default: return false
        }
    }

    /// An app's delivery has no id of its own: the same signed version of the same transaction is the same event.
    var clientEventID: String {
        let version = "\(transactionId)/\(signedAt?.milliseconds ?? 0)"
        return "client:" + Hex.encode(SHA256.hash(Array(version.utf8)))
    }

    func transaction(signedAt fallback: Instant) -> Transaction {
        Transaction(
            id: transactionId,
            product: productId,
            purchasedAt: purchaseDate.instant,
            expiresAt: expiresDate?.instant,
            revokedAt: isRefundedInPart ? nil : revocationDate?.instant,
            isUpgraded: isUpgraded ?? false,
            quantity: max(1, quantity ?? 1),
            price: price.flatMap { Int64(exactly: $0.rounded()) },
            currency: currency.flatMap { isPlain($0) ? $0 : nil },
            signedAt: signedAt ?? fallback
        )
    }

    func observation(_ key: ContractKey, signedAt fallback: Instant, snapshot: Snapshot?) -> Observation {
        Observation(
            contract: key,
            kind: kind,
            group: subscriptionGroupIdentifier,
            token: appAccountToken.flatMap { OrderToken($0) },
            account: appTransactionId,
            previousLineage: previousOriginalTransactionId,
            isFamilyShared: isFamilyShared,
            isPurchase: isPurchase,
            transaction: transaction(signedAt: fallback),
            snapshot: kind == .subscription ? snapshot : nil
        )
    }
}

/// `JWSRenewalInfoDecodedPayload`, as far as we read it. It names no app: only its transaction binds it to one.
struct AppleRenewal: SignedDocument {
    var originalTransactionId: String?
    var environment: String?
    var productId: String?
    var autoRenewProductId: String?
    var autoRenewStatus: Int?
    var gracePeriodExpiresDate: AppleDate?
    @Lossy var renewalDate: AppleDate?
    var signedDate: AppleDate?

    var signedAt: Instant? { signedDate?.instant }
    var isPlausible: Bool { [productId, autoRenewProductId].allSatisfy { $0.map { isPlain($0) } ?? true } }
}

/// `JWSAppTransactionDecodedPayload`: it is judged when the receipt was made, and calls its environment a receipt type.
struct AppleAppTransaction: SignedDocument {
    var bundleId: String?
    var appAppleId: Int64?
    var receiptType: String?
    var receiptCreationDate: AppleDate?
    var appTransactionId: String?

    var signedAt: Instant? { receiptCreationDate?.instant }
}

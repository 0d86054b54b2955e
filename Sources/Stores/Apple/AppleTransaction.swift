internal import Crypto
internal import Domain
internal import Encoding

/// The members of `JWSTransactionDecodedPayload` that we read.
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
    @Lossy var originalPurchaseDate: AppleDate?
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

    /// Whether the ids may be stored and shown.
    var isPlausible: Bool {
        [transactionId, originalTransactionId, productId].allSatisfy { isValidIdentifier($0) }
            && [previousOriginalTransactionId, appTransactionId, subscriptionGroupIdentifier]
                .allSatisfy { $0.map { isValidIdentifier($0) } ?? true }
    }

    /// An unknown type counts as a consumable unless it expires, because that never opens lasting access.
    var kind: ProductKind {
        switch type {
        case "Auto-Renewable Subscription": .subscription
        case "Non-Renewing Subscription": .nonRenewing
        case "Non-Consumable": .nonConsumable
        case "Consumable": .consumable
        default: expiresDate == nil ? .consumable : .subscription
        }
    }

    /// Not a renewal, which repeats the token of the purchase before it. Older transactions do not state a reason: of
    /// those, only the first one of a lineage is a purchase.
    private var isPurchase: Bool {
        transactionReason.map { $0 == "PURCHASE" } ?? (transactionId == originalTransactionId)
    }

    /// Part of the price was refunded, and the purchase stays. This never holds for subscriptions, because a prorated
    /// refund ends their period (https://developer.apple.com/documentation/storekit/transaction/revocationpercentage).
    /// A user who is removed and not refunded (`FAMILY_REVOKE`) loses the whole purchase.
    private var isRefundedInPart: Bool {
        guard kind != .subscription, revocationDate != nil else { return false }
        // In thousandths of a percent. A value out of range counts as absent.
        let part = revocationPercentage.flatMap { (0...100_000).contains($0) ? $0 < 100_000 : nil }
        switch revocationType {
        case "REFUND_PRORATED": return part ?? true
        case nil: return part ?? false
        default: return false
        }
    }

    /// An app's post has no id of its own: the same signed version of the same transaction is the same event.
    var clientEventID: String {
        let version = "\(scope)\(transactionId)/\(signedAt?.milliseconds ?? 0)"
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
            currency: currency.flatMap { isValidIdentifier($0) ? $0 : nil },
            signedAt: signedAt ?? fallback
        )
    }

    func observation(_ key: ContractKey, signedAt fallback: Instant, snapshot: Snapshot?) -> Observation {
        Observation(
            contract: key,
            kind: kind,
            group: subscriptionGroupIdentifier,
            token: appAccountToken.flatMap { OrderToken($0) },
            account: isOfXcode ? nil : appTransactionId,
            previousLineage: previousOriginalTransactionId,
            isFamilyShared: isFamilyShared,
            isPurchase: isPurchase,
            transaction: transaction(signedAt: fallback),
            snapshot: kind == .subscription ? snapshot : nil
        )
    }
}

/// The members of `JWSRenewalInfoDecodedPayload` that we read. It names no app; only its transaction ties it to one.
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
    var isPlausible: Bool { [productId, autoRenewProductId].allSatisfy { $0.map { isValidIdentifier($0) } ?? true } }
}

/// `JWSAppTransactionDecodedPayload`. Its chain must be valid when the receipt was made, and its receipt type is the
/// environment.
struct AppleAppTransaction: SignedDocument {
    var bundleId: String?
    var appAppleId: Int64?
    var receiptType: String?
    var receiptCreationDate: AppleDate?
    var appTransactionId: String?

    var signedAt: Instant? { receiptCreationDate?.instant }
}

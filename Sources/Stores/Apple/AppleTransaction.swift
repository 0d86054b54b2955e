import Crypto
import Domain
import Encoding

/// The members of `JWSTransactionDecodedPayload` that we read.
struct AppleTransaction: SignedDocument {
    let transactionId: String
    let originalTransactionId: String
    let previousOriginalTransactionId: String?
    let appTransactionId: String?
    let bundleId: String?
    let environment: String?
    let productId: String
    let subscriptionGroupIdentifier: String?
    let type: String?
    let appAccountToken: String?
    let inAppOwnershipType: String?
    let purchasedAt: Instant
    let expiresAt: Instant?
    let revokedAt: Instant?
    let signedAt: Instant?
    /// Has the members that by themselves neither open nor end access. One that does not fit counts as absent, because
    /// refusing a genuine notification would lose it.
    private let document: StoreObject

    var transactionReason: String? { document["transactionReason"]?.text }
    var isUpgraded: Bool { document["isUpgraded"]?.boolean ?? false }

    init(_ document: StoreObject) throws(VerificationError) {
        transactionId = try document.statedString("transactionId")
        originalTransactionId = try document.statedString("originalTransactionId")
        previousOriginalTransactionId = try document.string("previousOriginalTransactionId")
        appTransactionId = try document.string("appTransactionId")
        bundleId = try document.string("bundleId")
        environment = try document.string("environment")
        productId = try document.statedString("productId")
        subscriptionGroupIdentifier = try document.string("subscriptionGroupIdentifier")
        type = try document.string("type")
        appAccountToken = try document.string("appAccountToken")
        inAppOwnershipType = try document.string("inAppOwnershipType")
        purchasedAt = try document.statedAppleDate("purchaseDate")
        expiresAt = try document.appleDate("expiresDate")
        revokedAt = try document.appleDate("revocationDate")
        signedAt = try document.appleDate("signedDate")
        self.document = document
    }

    var isFamilyShared: Bool { inAppOwnershipType == "FAMILY_SHARED" }

    /// An introductory offer that costs nothing (https://developer.apple.com/documentation/appstoreserverapi/offerdiscounttype).
    /// Other offers may be free as well, such as a code for a subscriber who returns: those are not trials.
    var isTrial: Bool {
        document["offerType"]?.integer == 1 && document["offerDiscountType"]?.text == "FREE_TRIAL"
    }

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
        default: expiresAt == nil ? .consumable : .subscription
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
        guard kind != .subscription, revokedAt != nil else { return false }
        // In thousandths of a percent. A value out of range counts as absent.
        let stated = try? document.wholeNumber("revocationPercentage")
        let part = stated.flatMap { (0...100_000).contains($0) ? $0 < 100_000 : nil }
        switch document["revocationType"]?.text {
        case "REFUND_PRORATED": return part ?? true
        case nil: return part ?? false
        default: return false
        }
    }

    /// An app's post has no id of its own: the same signed versions of the transaction, and of the renewal info that
    /// counts beside it, are the same event.
    func clientEventID(beside renewal: AppleRenewal?) -> String {
        let signed = [signedAt ?? Instant(milliseconds: 0), renewal?.signedAt].compactMap { $0 }
        let version = "\(scope)\(transactionId)/" + signed.map { String($0.milliseconds) }.joined(separator: "/")
        return SnapshotRegister.postedPrefix + Hex.encode(SHA256.hash(Array(version.utf8)))
    }

    func transaction(signedAt fallback: Instant) -> Transaction {
        let date = signedAt ?? fallback
        var charge = Transaction(id: transactionId, product: productId, purchasedAt: purchasedAt, signedAt: date)
        charge.expiresAt = expiresAt
        charge.revokedAt = isRefundedInPart ? nil : revokedAt
        charge.isUpgraded = isUpgraded
        charge.isTrial = isTrial
        charge.quantity = max(1, Int((try? document.wholeNumber("quantity")) ?? 1))
        charge.price = document.number("price").flatMap { Int64(exactly: $0.rounded()) }
        charge.currency = document.text("currency")
        return charge
    }

    func observation(_ key: ContractKey, signedAt fallback: Instant, snapshot: Snapshot?) -> Observation {
        var observation = Observation(contract: key, kind: kind)
        observation.group = subscriptionGroupIdentifier
        observation.token = appAccountToken.flatMap { OrderToken($0) }
        observation.account = isOfXcode ? nil : appTransactionId
        observation.previousLineage = previousOriginalTransactionId
        observation.isFamilyShared = isFamilyShared
        observation.isPurchase = isPurchase
        observation.transaction = transaction(signedAt: fallback)
        observation.snapshot = kind == .subscription ? snapshot : nil
        observation.charges = charges(order: observation.token, signedAt: fallback)
        return observation
    }
}

/// The row of its charge. A family member is charged nothing: the row is the buyer's.
extension AppleTransaction {
    private func charges(order: OrderToken?, signedAt fallback: Instant) -> [Charge] {
        guard !isFamilyShared else { return [] }
        let charge = transaction(signedAt: fallback)
        var terms = ChargeTerms(charge, order: order)
        terms.offer = offer
        let id = isOfXcode ? scope + transactionId : transactionId
        return [Charge(id: id, terms: terms, refund: refund(of: charge))]
    }

    /// Each version of a transaction says whether it is refunded as of its date.
    private func refund(of charge: Transaction) -> Charge.Refund {
        guard let revokedAt else { return Charge.Refund(at: nil, statedAt: charge.signedAt) }
        // In thousandths of a percent.
        let part = (try? document.wholeNumber("revocationPercentage")).flatMap { (0..<100_000).contains($0) ? $0 : nil }
        let isPartial = part != nil || document["revocationType"]?.text == "REFUND_PRORATED"
        let amount = part.flatMap { part in
            charge.price.map { Int64((Double($0) * Double(part) / 100_000).rounded()) }
        }
        return Charge.Refund(at: revokedAt, amount: amount, isPartial: isPartial, statedAt: charge.signedAt)
    }

    /// The offer's own name, or what kind of offer it is (https://developer.apple.com/documentation/appstoreserverapi/offertype).
    private var offer: String? {
        if let name = document.text("offerIdentifier") { return name }
        return switch document["offerType"]?.integer {
        case 1: "introductory"
        case 2: "promotional"
        case 3: "offer_code"
        case 4: "win_back"
        default: nil
        }
    }
}

/// The members of `JWSRenewalInfoDecodedPayload` that we read. It names no app; only its transaction ties it to one.
struct AppleRenewal: SignedDocument {
    let originalTransactionId: String?
    let environment: String?
    let productId: String?
    let autoRenewProductId: String?
    let autoRenewStatus: Int64?
    let isInBillingRetry: Bool?
    /// Why it has expired; absent before that.
    let expirationIntent: Int64?
    let gracePeriodEndsAt: Instant?
    let renewsAt: Instant?
    let signedAt: Instant?

    init(_ document: StoreObject) throws(VerificationError) {
        originalTransactionId = try document.string("originalTransactionId")
        environment = try document.string("environment")
        productId = try document.string("productId")
        autoRenewProductId = try document.string("autoRenewProductId")
        autoRenewStatus = try document.wholeNumber("autoRenewStatus")
        isInBillingRetry = document["isInBillingRetryPeriod"]?.boolean
        expirationIntent = try? document.wholeNumber("expirationIntent")
        gracePeriodEndsAt = try document.appleDate("gracePeriodExpiresDate")
        renewsAt = try? document.appleDate("renewalDate")
        signedAt = try document.appleDate("signedDate")
    }

    var isPlausible: Bool { [productId, autoRenewProductId].allSatisfy { $0.map { isValidIdentifier($0) } ?? true } }
}

/// `JWSAppTransactionDecodedPayload`. Its chain must be valid when the receipt was made, and its receipt type is the
/// environment.
struct AppleAppTransaction: SignedDocument {
    let bundleId: String?
    let appAppleId: Int64?
    let receiptType: String?
    let appTransactionId: String?
    let signedAt: Instant?

    init(_ document: StoreObject) throws(VerificationError) {
        bundleId = try document.string("bundleId")
        appAppleId = try document.wholeNumber("appAppleId")
        receiptType = try document.string("receiptType")
        appTransactionId = try document.string("appTransactionId")
        signedAt = try document.appleDate("receiptCreationDate")
    }
}

/// Identifiers that StoreKit testing in Xcode numbers in its own way.
///
/// Each simulator counts its purchases from 0, and begins again when they are deleted in Xcode. Nor can `appTransactionId`
/// be trusted to tell buyers apart there, so it is not kept: two users of one simulator would become one account.
extension AppleTransaction {
    var isOfXcode: Bool { environment == StoreEnvironment.xcode.rawValue }

    /// A number of Xcode's is unique only together with the date of the first purchase.
    var lineage: String {
        guard isOfXcode else { return originalTransactionId }
        let begin = (try? document.appleDate("originalPurchaseDate")) ?? purchasedAt
        return "\(originalTransactionId)@\(begin.milliseconds)"
    }

    /// The scope within which `transactionId` is unique; Apple's ids are unique everywhere.
    var scope: String {
        guard isOfXcode else { return "" }
        return "Xcode/\(bundleId ?? "")/\(lineage)/"
    }
}

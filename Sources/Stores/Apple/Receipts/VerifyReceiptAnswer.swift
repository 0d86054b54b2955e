public import Domain
public import Encoding

/// A stored answer of `verifyReceipt`
/// (https://developer.apple.com/documentation/appstorereceipts/responsebody). Its numbers and dates are strings.
public struct VerifyReceiptAnswer {
    public let status: Int64
    public let isRetryable: Bool?
    public let environment: String?
    public let bundle: String?
    /// When Apple answered, as far as the answer says.
    public let requestedAt: Instant?
    public let purchases: [ReceiptPurchase]
    /// Keyed by lineage.
    public let renewals: [String: StoredRenewal]

    /// Returns nil when it has no status, or an unreadable date or number.
    public init?(_ node: JSONNode) {
        guard node.isObject, let status = node.digits("status").flatMap({ Int64($0) }) else { return nil }
        self.status = status
        isRetryable = node.flag("is-retryable") ?? node.flag("is_retryable")
        environment = node["environment"]?.text
        // A receipt from iOS 6 is itself one purchase.
        let receipt = node["receipt"]
        bundle = receipt?["bundle_id"]?.text ?? receipt?["bid"]?.text
        let lists = [node["latest_receipt_info"], node["latest_expired_receipt_info"], receipt?["in_app"], receipt]
        let items = lists.flatMap { $0?.listed ?? [] }.filter { $0["transaction_id"] != nil }
        let read = items.compactMap { ReceiptPurchase($0) }
        guard read.count == items.count else { return nil }
        // A period that an upgrade ended does not count, however long it would have run.
        purchases = read.filter { !$0.isUpgraded }
        let dates = ["request_date_ms", "receipt_creation_date_ms"].compactMap { receipt?.instant($0) ?? nil }
        requestedAt = dates.first ?? read.compactMap(\.purchasedAt).max()
        var renewals: [String: StoredRenewal] = [:]
        for item in node["pending_renewal_info"]?.listed ?? [] {
            guard let lineage = item.digits("original_transaction_id") else { continue }
            guard let renewal = StoredRenewal(item, asOf: requestedAt) else { return nil }
            renewals[lineage] = renewal
        }
        self.renewals = renewals
    }
}

extension ReceiptPurchase {
    fileprivate init?(_ node: JSONNode) {
        self.init()
        product = node["product_id"]?.text
        transactionID = node.digits("transaction_id")
        originalTransactionID = node.digits("original_transaction_id")
        quantity = node.digits("quantity").flatMap { Int64($0) }
        group = node.digits("subscription_group_identifier")
        token = node["app_account_token"]?.text.flatMap { OrderToken($0) }
        isFamilyShared = node["in_app_ownership_type"]?.text == "FAMILY_SHARED"
        isUpgraded = node.flag("is_upgraded") ?? false
        // In answers for iOS 6, `expires_date` itself is the number.
        let expiry = node["expires_date_ms"] == nil && node.digits("expires_date").flatMap { Int64($0) } != nil
        guard let purchasedAt = node.instant("purchase_date_ms"),
            let expiresAt = node.instant(expiry ? "expires_date" : "expires_date_ms"),
            let cancelledAt = node.instant("cancellation_date_ms")
        else { return nil }
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        // If only the text of the date is left, the purchase is still canceled.
        self.cancelledAt = cancelledAt ?? (node["cancellation_date"] == nil ? nil : purchasedAt)
    }
}

extension StoredRenewal {
    fileprivate init?(_ node: JSONNode, asOf: Instant?) {
        guard let asOf, let grace = node.instant("grace_period_expires_date_ms") else { return nil }
        let next = node["auto_renew_product_id"]?.text
        guard next.map({ isValidIdentifier($0) }) ?? true else { return nil }
        self.init(
            renews: node.flag("auto_renew_status") ?? false,
            nextProduct: next,
            isInBillingRetry: node.flag("is_in_billing_retry_period") ?? false,
            graceUntil: grace,
            asOf: asOf
        )
    }
}

extension JSONNode {
    /// The items of an array; an object counts as one item.
    fileprivate var listed: [JSONNode] {
        switch self {
        case .array(let items): items
        case .object: [self]
        case .null, .boolean, .number, .string: []
        }
    }

    /// A number or a string: Apple writes strings, but some databases have turned them into numbers.
    fileprivate func digits(_ name: String) -> String? {
        switch self[name] {
        case .number(let digits): String(decoding: digits, as: UTF8.self)
        case let value: value?.text
        }
    }

    fileprivate func flag(_ name: String) -> Bool? {
        if let value = self[name]?.boolean { return value }
        switch digits(name) {
        case "1", "true": return true
        case "0", "false": return false
        default: return nil
        }
    }

    /// In milliseconds. `.some(nil)` when the member is absent, nil when it is not a valid date.
    fileprivate func instant(_ name: String) -> Instant?? {
        guard let value = self[name], value != .null else { return .some(nil) }
        guard let milliseconds = digits(name).flatMap({ Int64($0) }), milliseconds.magnitude <= 8_640_000_000_000_000
        else { return nil }
        return .some(Instant(milliseconds: milliseconds))
    }
}

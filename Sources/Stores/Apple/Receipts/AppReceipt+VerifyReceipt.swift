import Domain
import Encoding

extension AppReceipt {
    /// Reads a stored answer of `verifyReceipt`
    /// (https://developer.apple.com/documentation/appstorereceipts/responsebody). Its numbers and dates are strings.
    /// `asked` is the environment of an answer that does not name it. Throws when it has no status, another one than
    /// success, or an unreadable date or number.
    init(answer node: JSONNode, environment asked: StoreEnvironment?) throws(RefusedPurchase) {
        guard let status = node.digits("status").flatMap({ Int64($0) }) else { throw .ofUnreadableAnswer }
        source = .verifyReceipt
        // A receipt from iOS 6 is itself one purchase.
        let receipt = node["receipt"]
        bundle = receipt?["bundle_id"]?.text ?? receipt?["bid"]?.text
        let lists = [node["latest_receipt_info"], node["latest_expired_receipt_info"], receipt?["in_app"], receipt]
        let items = lists.flatMap { $0?.listed ?? [] }.filter { $0["transaction_id"] != nil }
        let read = items.compactMap { ReceiptPurchase($0) }
        guard read.count == items.count else { throw .ofUnreadableAnswer }
        // A period that an upgrade ended does not count, however long it would have run.
        purchases = read.filter { !$0.isUpgraded }
        let dates = ["request_date_ms", "receipt_creation_date_ms"].compactMap { receipt?.instant($0) ?? nil }
        statedAt = dates.first ?? read.compactMap(\.purchasedAt).max()
        for item in node["pending_renewal_info"]?.listed ?? [] {
            guard let lineage = item.digits("original_transaction_id") else { continue }
            guard let renewal = StoredRenewal(item, asOf: statedAt) else { throw .ofUnreadableAnswer }
            renewals[lineage] = renewal
        }
        let isRetryable = node.flag("is-retryable") ?? node.flag("is_retryable")
        if let refusal = RefusedPurchase(status: status, isRetryable: isRetryable) { throw refusal }
        let named = node["environment"]?.text
        guard named != nil || asked != nil else { throw .ofUnknownEnvironment }
        environment = named.map { StoreEnvironment(rawValue: $0) } ?? asked
    }
}

/// Why an answer of `verifyReceipt` says nothing about a purchase, and what to do.
extension RefusedPurchase {
    /// Nil for an answer that says something. Follows the table in
    /// https://developer.apple.com/documentation/appstorereceipts/status; 21006 counts like 0.
    fileprivate init?(status: Int64, isRetryable stated: Bool?) {
        let isRetryable: Bool
        switch status {
        case 0, 21_006: return nil
        // 21002 also stands for an outage, like the internal errors.
        case 21_002, 21_100...21_199: isRetryable = stated ?? true
        default: isRetryable = status == 21_005 || status == 21_009
        }
        let (code, message) = RefusedPurchase.row(status)
        let advice = isRetryable ? " Ask Apple again, or post the receipt itself." : ""
        self = .unusable(code: code, message: "Status \(status): \(message)\(advice)", isRetryable: isRetryable)
    }

    fileprivate static let ofUnreadableAnswer = RefusedPurchase.unproven(.malformed(.invalidReceipt))

    fileprivate static let ofUnknownEnvironment = RefusedPurchase.unusable(
        code: "unknown_environment",
        message:
            "The answer names no environment: add \"environment\":\"Production\" or \"Sandbox\", whichever was asked.",
        isRetryable: false
    )

    private static func row(_ status: Int64) -> (code: String, message: String) {
        switch status {
        case 21_000: ("not_posted", "Apple was not asked with POST; post the receipt itself as \"receipt\".")
        case 21_002: ("malformed_receipt", "Apple could not read the receipt, or had an outage.")
        case 21_003: ("unauthenticated_receipt", "Apple did not issue the receipt; nothing was bought with it.")
        case 21_004: ("wrong_shared_secret", "The shared secret was not the app's; post the receipt itself.")
        case 21_005: ("apple_unavailable", "Apple's server was not available.")
        case 21_007: ("sandbox_receipt", "Production was asked about a Sandbox receipt; ask Sandbox.")
        case 21_008:
            ("production_receipt", "Sandbox was asked about a Production receipt; ask Production.")
        case 21_009, 21_100...21_199: ("apple_internal_error", "Apple could not read its own data.")
        case 21_010: ("account_not_found", "The buyer's account is gone; treat it as never bought.")
        default: ("unknown_status", "Apple documents no such status; post the receipt itself.")
        }
    }
}

extension ReceiptPurchase {
    fileprivate init?(_ node: JSONNode) {
        product = node.digits("product_id")
        transactionID = node.digits("transaction_id")
        originalTransactionID = node.digits("original_transaction_id")
        quantity = node.digits("quantity").flatMap { Int64($0) }
        group = node.digits("subscription_group_identifier")
        token = node["app_account_token"]?.text.flatMap { OrderToken($0) }
        isFamilyShared = node["in_app_ownership_type"]?.text == "FAMILY_SHARED"
        isUpgraded = node.flag("is_upgraded") ?? false
        isTrial = node.flag("is_trial_period") ?? false
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
        let next = node.digits("auto_renew_product_id")
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

    /// A number or a string: Apple writes strings, but some databases have turned them into numbers. An empty string counts as
    /// absent.
    fileprivate func digits(_ name: String) -> String? {
        switch self[name] {
        case .number(let digits): String(decoding: digits, as: UTF8.self)
        case let value: value?.text.flatMap { $0.isEmpty ? nil : $0 }
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

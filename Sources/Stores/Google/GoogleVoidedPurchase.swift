internal import Crypto
public import Domain
internal import Encoding

/// An entry of Google's list of voided purchases
/// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.voidedpurchases): what the push would
/// have said.
public struct GoogleVoidedPurchase: Sendable, Equatable {
    public struct Page: Sendable, Equatable {
        /// Nil for an entry that names no purchase.
        public var voids: [GoogleVoidedPurchase?]
        /// The token of the next page; nil if this is the last one.
        public var next: String?
    }

    /// The most entries that Google puts on a page.
    public static let pageSize = 1000

    let token: String
    let order: String?
    let voidedAt: Instant?
    /// How many of the quantity were voided; nil for all.
    let quantity: Int64?

    private init?(_ entry: StoreObject) {
        guard let token = entry.text("purchaseToken", limit: GooglePurchase.tokenLimit) else { return nil }
        self.token = token
        order = entry.text("orderId")
        voidedAt = entry.milliseconds("voidedTimeMillis")
        quantity = entry.integer("voidedQuantity").flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns nil if it is not a page of the list. An empty page is an empty object.
    public static func page(_ body: [UInt8]) -> Page? {
        guard let answer = try? StoreObject(body) else { return nil }
        let next = answer.object("tokenPagination")?.text("nextPageToken", limit: 4096)
        guard case .array(let entries)? = answer["voidedPurchases"] else { return Page(voids: [], next: next) }
        return Page(voids: entries.map { StoreObject($0).flatMap { GoogleVoidedPurchase($0) } }, next: next)
    }

    /// The event id for a whole charge that was taken back. It contains the order, because Google numbers charges, not
    /// voids, and the push and the list report the same one.
    static func event(of order: String) -> String? {
        order.contains("#") ? nil : "void:\(order)"
    }

    /// The id of the event for this void, once it has arrived and taken effect.
    public var event: String? { quantity == nil ? order.flatMap(GoogleVoidedPurchase.event) : nil }

    /// The body that Pub/Sub would have posted. The list does not say what kind of purchase it is.
    public func notification(of package: String, isSubscription: Bool) -> [UInt8] {
        var void = #""purchaseToken":\#(JSONLiteral.literal(token)),"productType":\#(isSubscription ? 1 : 2)"#
        void += #","refundType":\#(quantity == nil ? 1 : 2)"#
        if let order { void += #","orderId":\#(JSONLiteral.literal(order))"# }
        var notice = #""packageName":\#(JSONLiteral.literal(package)),"voidedPurchaseNotification":{\#(void)}"#
        if let voidedAt { notice += #","eventTimeMillis":\#(voidedAt.milliseconds)"# }
        let data = Base64.encode(Array("{\(notice)}".utf8))
        return Array(#"{"message":{"data":"\#(data)","messageId":"\#(id)"}}"#.utf8)
    }

    /// The message id, which is the same at each poll.
    private var id: String {
        let facts = [token, order, voidedAt.map { String($0.milliseconds) }, quantity.map(String.init)]
        let text = facts.map { $0 ?? "" }.joined(separator: "\n")
        return "voided:" + Hex.encode(Array(SHA256.hash(Array(text.utf8)).prefix(16)))
    }
}

extension GooglePlayAPI {
    /// One page of the purchases that Google recorded as voided from `start` to `end`, or until now without an `end`,
    /// within the last 30 days (https://developers.google.com/android-publisher/voided-purchases). `token` is the last
    /// page's `next`, for the same span. A failure says nothing about calls that read purchases, so the observer does
    /// not hear of it: the caller reports it.
    public func voidedPurchases(
        of package: String,
        from start: Instant,
        to end: Instant?,
        after token: String? = nil,
        now: Instant
    ) throws(StoreAPIError) -> GoogleVoidedPurchase.Page {
        // `type=1` includes subscriptions.
        var path = "purchases/voidedpurchases?type=1&includeQuantityBasedPartialRefund=true"
        path += "&maxResults=\(GoogleVoidedPurchase.pageSize)&startTime=\(start.milliseconds)"
        if let end { path += "&endTime=\(end.milliseconds)" }
        if let token { path += "&token=\(PercentEncoding.encode(token))" }
        guard let body = try exchange("GET", path: path, of: package, now: now) else {
            throw .unavailable(reason: "it no longer knows the next page of the list")
        }
        guard let page = GoogleVoidedPurchase.page(body) else {
            throw .unreadable(reason: "it is not a list of voided purchases")
        }
        return page
    }
}

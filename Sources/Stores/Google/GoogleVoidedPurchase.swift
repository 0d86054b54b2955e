import Crypto
public import Domain
import Encoding

/// An entry of Google's list of voided purchases
/// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.voidedpurchases): what the push would
/// have said.
public struct GoogleVoidedPurchase: Sendable, Equatable {
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

    /// Returns nil if it is not a page of the list. An empty page is an empty object; an entry that names no purchase is nil.
    static func page(_ body: [UInt8]) -> HistoryPage<GoogleVoidedPurchase?>? {
        guard let answer = try? StoreObject(body) else { return nil }
        let next = answer.object("tokenPagination")?.text("nextPageToken", limit: 4096)
        guard case .array(let entries)? = answer["voidedPurchases"] else { return HistoryPage(entries: [], next: next) }
        return HistoryPage(entries: entries.map { StoreObject($0).flatMap { GoogleVoidedPurchase($0) } }, next: next)
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
    /// One page of the purchases that Google recorded as voided within the last 30 days
    /// (https://developers.google.com/android-publisher/voided-purchases). A failure says nothing about calls that read
    /// purchases, so the observer does not hear of it: the caller reports it.
    func voidedPurchases(
        of package: String,
        _ query: HistoryQuery,
        now: Instant
    ) throws(StoreAPIError) -> HistoryPage<GoogleVoidedPurchase?> {
        // `type=1` includes subscriptions.
        var path = "purchases/voidedpurchases?type=1&includeQuantityBasedPartialRefund=true"
        path += "&maxResults=\(GoogleVoidedPurchase.pageSize)&startTime=\(query.start.milliseconds)"
        // Google refuses an end that its clock has not reached yet.
        if !query.isNewest { path += "&endTime=\(query.end.milliseconds)" }
        if let token = query.token { path += "&token=\(PercentEncoding.encode(token))" }
        guard let body = try exchange("GET", path: path, of: package, now: now) else {
            throw .unavailable(reason: "it no longer knows the next page of the list")
        }
        guard let page = GoogleVoidedPurchase.page(body) else {
            throw .unreadable(reason: "it is not a list of voided purchases")
        }
        return page
    }
}

/// Google's list of one app's voided purchases, which makes up for lost pushes. An entry ends nothing by itself: the
/// purchase is read, as after a push. A void that took effect counts once, whichever way it comes.
public struct GoogleVoidedPurchaseList: HistoryList {
    /// 200,000 voids. Google allows 6,000 requests a day, and 30 in half a minute.
    public static let limits = HistoryLimits(ofAPiece: 50, ofARun: 200)

    public static let words = HistorySource.Words(
        thread: "voids",
        read: "voided purchases read",
        unread: "voided purchases not read",
        readAgain: "voided purchases read again"
    )

    public let app: String
    private let reader: GoogleVerifier
    public var pause = Duration.seconds(1)

    public init(of package: String, reader: GoogleVerifier) {
        app = package
        self.reader = reader
    }

    public var key: String { "history/google/\(app)" }
    public var reach: Duration { .seconds(30 * 86_400) }

    public func page(_ query: HistoryQuery, now: Instant) throws(StoreAPIError) -> HistoryPage<GoogleVoidedPurchase?> {
        try reader.api.voidedPurchases(of: app, query, now: now)
    }

    public func event(of void: GoogleVoidedPurchase?) -> String? { void?.event }

    public func read(
        _ void: GoogleVoidedPurchase?,
        verifier: any StoreVerifier,
        now: Instant
    ) throws(HistoryError) -> Event {
        guard let void else { throw .unread(.unreadable(reason: "the entry names no purchase")) }
        do throws(StoreAPIError) {
            return try reader.event(of: void, in: app, now: now)
        } catch {
            throw .unread(error)
        }
    }

    /// Failing to reach Google says nothing about the key.
    public func hint(_ error: HistoryError) -> String? {
        guard case .unread(.unauthorized(let reason)) = error else { return nil }
        return "Google refuses the list of voided purchases of \(app): \(reason)"
    }
}

/// Google's list of voided purchases, which makes up for lost pushes.
extension GoogleVerifier {
    /// The event that a push would have brought. It reads the purchase now; the list alone never ends a purchase.
    func event(of void: GoogleVoidedPurchase, in package: String, now: Instant) throws(StoreAPIError) -> Event {
        var event: Event?
        // The token does not say whether it is a subscription's.
        for isSubscription in [true, false] {
            let body = void.notification(of: package, isSubscription: isSubscription)
            let notification = GoogleNotification(body)
            let reading = try api.read(notification.subject, of: package)
            event = notification.event(reading, body: body, now: now)
            if reading.gap != .unknown { break }
        }
        guard let event else { throw .unreadable(reason: "it names no purchase") }
        return event
    }
}

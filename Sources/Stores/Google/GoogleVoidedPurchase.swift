import Crypto
import Domain
import Encoding

/// An entry of Google's list of voided purchases
/// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.voidedpurchases): what the push would
/// have said.
struct GoogleVoidedPurchase: Sendable, Equatable {
    /// The most entries that Google puts on a page.
    static let pageSize = 1000

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
    static func page(_ body: [UInt8]) -> (voids: [GoogleVoidedPurchase?], next: String?)? {
        guard let answer = try? StoreObject(body) else { return nil }
        let next = answer.object("tokenPagination")?.text("nextPageToken", limit: 4096)
        guard case .array(let entries)? = answer["voidedPurchases"] else { return ([], next) }
        return (entries.map { StoreObject($0).flatMap { GoogleVoidedPurchase($0) } }, next)
    }

    /// The event id for a whole charge that was taken back. It contains the order, because Google numbers charges, not
    /// voids, and the push and the list report the same one.
    static func event(of order: String) -> String? {
        order.contains("#") ? nil : "void:\(order)"
    }

    /// The id of the event for this void, once it has arrived and taken effect.
    var event: String? { quantity == nil ? order.flatMap(GoogleVoidedPurchase.event) : nil }

    /// The body that Pub/Sub would have posted. The list does not say what kind of purchase it is.
    func notification(of package: String, isSubscription: Bool) -> [UInt8] {
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
    ) throws(StoreAPIError) -> (voids: [GoogleVoidedPurchase?], next: String?) {
        // `type=1` includes subscriptions.
        var path = "purchases/voidedpurchases?type=1&includeQuantityBasedPartialRefund=true"
        path += "&maxResults=\(GoogleVoidedPurchase.pageSize)&startTime=\(query.start.milliseconds)"
        // Google refuses an end that its clock has not reached yet.
        if !query.isNewest { path += "&endTime=\(query.end.milliseconds)" }
        if let token = query.token { path += "&token=\(PercentEncoding.encode(token))" }
        guard let body = try call("GET", path: path, of: package, isObserved: false, now: now) else {
            throw .unavailable(reason: "it no longer knows the next page of the list")
        }
        guard let page = GoogleVoidedPurchase.page(body) else {
            throw .unreadable(reason: "it is not a list of voided purchases")
        }
        return page
    }
}

/// Google's lists of voided purchases, which make up for lost pushes. An entry ends nothing by itself: the purchase is
/// read, as after a push. A void that took effect counts once, whichever way it comes.
extension GoogleVerifier {
    static let historyWords = HistorySource.Words(
        thread: "voids",
        read: "voided purchases read",
        unread: "voided purchases not read",
        readAgain: "voided purchases read again"
    )

    func voidedPurchases(of app: String) -> HistoryList {
        HistoryList(
            key: "history/google/\(app)",
            app: app,
            environment: nil,
            reach: .seconds(30 * 86_400),
            // A run reads 200,000 voids. Google allows 6,000 requests a day, and 30 in half a minute.
            pagesOfAPiece: 50,
            pagesOfARun: 200,
            pause: .seconds(1),
            page: { query, now throws(StoreAPIError) in
                let (voids, next) = try api.voidedPurchases(of: app, query, now: now)
                return (voids.map { entry(of: $0, in: app) }, next)
            },
            remedy: { _ in nil },
            // Failing to reach Google says nothing about the key.
            hint: { error in
                guard case .unread(.unauthorized(let reason)) = error else { return nil }
                return "Google refuses the list of voided purchases of \(app): \(reason)"
            }
        )
    }

    private func entry(of void: GoogleVoidedPurchase?, in app: String) -> HistoryEntry {
        HistoryEntry(event: void?.event) { _, now throws(HistoryError) in
            guard let void else { throw .unread(.unreadable(reason: "the entry names no purchase")) }
            do throws(StoreAPIError) {
                return try event(of: void, in: app, now: now)
            } catch {
                throw .unread(error)
            }
        }
    }

    /// The event that a push would have brought. It reads the purchase now; the list alone never ends a purchase.
    private func event(of void: GoogleVoidedPurchase, in package: String, now: Instant) throws(StoreAPIError) -> Event {
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

public import Domain

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
        // Google refuses an end that its clock has not reached yet.
        let end = query.isNewest ? nil : query.end
        let page = try reader.api.voidedPurchases(of: app, from: query.start, to: end, after: query.token, now: now)
        return HistoryPage(entries: page.voids, next: page.next)
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
        var unknown: Event?
        // The token does not say whether it is a subscription's.
        for isSubscription in [true, false] {
            let body = void.notification(of: package, isSubscription: isSubscription)
            let notification = GoogleNotification(body)
            let (reading, answer) = try api.read(notification.subject, of: package)
            let record = answer.flatMap { StoredReading(.notification(body), answer: $0) }
            let event = notification.event(reading, body: record?.bytes ?? body, now: now)
            guard case .unknown = reading else { return event }
            unknown = event
        }
        guard let unknown else { throw .unreadable(reason: "it names no purchase") }
        return unknown
    }
}

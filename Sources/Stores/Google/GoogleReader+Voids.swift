internal import Domain
internal import StoreInterface

/// Google's list of voided purchases, which makes up for lost pushes.
extension GoogleReader {
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

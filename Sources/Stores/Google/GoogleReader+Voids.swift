public import Domain
public import StoreInterface

/// Google's list of voided purchases, for pushes that were lost.
extension GoogleReader {
    /// What a push of the same would have brought: the purchase is read now, and never ended by the list alone.
    public func event(of void: GoogleVoid, in package: String, now: Instant) throws(StoreAPIError) -> Event {
        var unknown: Event?
        // The token does not say what it is of.
        for isSubscription in [true, false] {
            let body = void.notification(of: package, isSubscription: isSubscription)
            let notification = GoogleNotification(body)
            let (reading, said) = try api.read(notification.subject, of: package)
            let record = said.flatMap { StoredReading(.notification(body), $0) }
            let event = notification.event(reading, body: record?.bytes ?? body, now: now)
            guard case .unknown = reading else { return event }
            unknown = event
        }
        guard let unknown else { throw .unreadable(reason: "it names no purchase") }
        return unknown
    }
}

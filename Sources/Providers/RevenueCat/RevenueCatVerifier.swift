internal import Crypto
public import Domain

/// Verifies that the sender of a webhook knows the `Authorization` value that was set in RevenueCat, and interprets it.
/// There is no signature or date to check; a replay is recognized by its id, and says nothing new.
public struct RevenueCatVerifier: StoreVerifier {
    private let authorization: [UInt8]
    private let catalog: Catalog

    /// `authorization` is the whole value of the header. Returns nil when it is empty, because anybody could send that.
    public init?(authorization: String, catalog: Catalog = Catalog()) {
        guard !authorization.isEmpty else { return nil }
        self.authorization = Array(authorization.utf8)
        self.catalog = catalog
    }

    /// The body was verified when it was committed; its header is not stored.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let delivery = Delivery(body: stored.body, authorization: String(decoding: authorization, as: UTF8.self))
        return try verify(delivery, now: stored.receivedAt)
    }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        guard let given = delivery.authorization, constantTimeEquals(Array(given.utf8), authorization) else {
            throw .untrusted(.unauthorized)
        }
        let event = try RevenueCatEvent(delivery.body)
        return Event(
            provider: .revenuecat,
            environment: event.environment,
            app: event.app,
            id: event.id,
            type: event.type,
            subtype: event.subtype,
            kind: event.kind,
            signedAt: event.happenedAt,
            observation: event.observation(catalog),
            transfer: event.transfer,
            body: delivery.body
        )
    }
}

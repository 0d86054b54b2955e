internal import Crypto
public import Domain
public import StoreInterface

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

    public var answers: WebhookAnswers { WebhookAnswers(untrusted: 401) }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        guard let given = delivery.authorization, constantTimeCompare(Array(given.utf8), with: authorization) else {
            throw .untrusted(.unauthorized)
        }
        return try event(delivery.body)
    }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? { try event(stored.body) }

    private func event(_ body: [UInt8]) throws(VerificationError) -> Event {
        let event = try RevenueCatEvent(body)
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
            body: body
        )
    }
}

public import Domain

/// Proves that a webhook is Stripe's, and says what it means. Both modes are served: a test event is of the Sandbox.
public struct StripeVerifier: StoreVerifier {
    private let secrets: [[UInt8]]
    private let tolerance: Duration
    private let catalog: Catalog

    /// `secrets` are the endpoints' signing secrets. Nil without one, and when one is empty: anybody could sign with it.
    /// `tolerance` is for the past and the future.
    public init?(secrets: [String], tolerance: Duration = .seconds(300), catalog: Catalog = Catalog()) {
        guard !secrets.isEmpty, !secrets.contains(where: \.isEmpty) else { return nil }
        self.secrets = secrets.map { Array($0.utf8) }
        self.tolerance = tolerance
        self.catalog = catalog
    }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let signature = try StripeSignature(delivery.signature)
        try signature.check(delivery.body, secrets: secrets, tolerance: tolerance, now: now)
        let envelope = try StripeEnvelope(delivery.body)
        let meaning = StripeMeaning(envelope, catalog)
        return Event(
            provider: .stripe,
            environment: envelope.environment,
            app: envelope.app,
            id: envelope.id,
            type: envelope.type,
            subtype: meaning.subtype,
            kind: meaning.kind,
            signedAt: envelope.created,
            observation: meaning.observation,
            body: delivery.body
        )
    }
}

public import Domain

/// Verifies that a webhook is Stripe's, and interprets it. It serves both modes: test events belong to the Sandbox.
public struct StripeVerifier: StoreVerifier {
    private let secrets: [[UInt8]]
    private let tolerance: Duration
    private let accounts: Set<String>
    private let catalog: Catalog
    private let unlisted: @Sendable (_ account: String) -> Void

    /// `secrets` are the endpoints' signing secrets. Returns nil for an empty list, and if one of them is empty: anybody
    /// could sign with that. `tolerance` applies to the past and the future. `accounts` are the connected accounts
    /// that sell for us: an endpoint may receive events of others, whose owners could name our orders in their own
    /// purchases. With a list, those events mean nothing here, and `unlisted` receives their account; without one, they
    /// are refused, because the list may have been forgotten.
    public init?(
        secrets: [String],
        tolerance: Duration = .seconds(300),
        accounts: Set<String> = [],
        catalog: Catalog = Catalog(),
        unlisted: @escaping @Sendable (_ account: String) -> Void = { _ in }
    ) {
        guard !secrets.isEmpty, !secrets.contains(where: \.isEmpty) else { return nil }
        self.secrets = secrets.map { Array($0.utf8) }
        self.tolerance = tolerance
        self.accounts = accounts
        self.catalog = catalog
        self.unlisted = unlisted
    }

    public var signatureHeader: StaticString? { "stripe-signature" }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let signature = try TimestampedSignature(delivery.signature)
        try signature.check(delivery.body, secrets: secrets, tolerance: tolerance, now: now)
        let event = try event(delivery.body)
        if event.isOfUnlistedAccount { unlisted(event.app) }
        return event
    }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try event(
            stored: stored.body,
            environment: stored.environment,
            app: stored.app,
            receivedAt: stored.receivedAt
        )
    }

    /// Interprets again what was verified when it was committed: the signature is not stored, and would be too old. The
    /// body is a webhook's, or an answer of the API.
    public func event(
        stored body: [UInt8],
        environment: StoreEnvironment,
        app: String,
        receivedAt: Instant
    ) throws(VerificationError) -> Event {
        let object = try StoreObject(body)
        guard object.text("object") == "subscription", let id = object.text("id") else { return try event(body) }
        let contract = ContractKey(provider: .stripe, environment: environment, app: app, lineage: id)
        guard let statement = StripeStatement(body, of: contract, catalog: catalog, now: receivedAt) else {
            throw .malformed(.invalidPayload)
        }
        return statement.event(now: receivedAt)
    }

    private func event(_ body: [UInt8]) throws(VerificationError) -> Event {
        let envelope = try StripeEnvelope(body)
        let isUnlisted = envelope.account.map { !accounts.contains($0) } ?? false
        if isUnlisted, accounts.isEmpty { throw .wrongApp }
        let meaning = isUnlisted ? .ofUnlistedAccount : StripeMeaning(envelope, catalog: catalog)
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
            further: meaning.further,
            isWhole: meaning.isWhole,
            body: body
        )
    }
}

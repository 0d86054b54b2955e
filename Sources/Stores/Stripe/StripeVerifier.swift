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

    /// Interprets again what was verified when it was committed: the signature is not stored, and would be too old. The
    /// body is a webhook's, or an answer of the API.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let (body, now) = (stored.body, stored.receivedAt)
        let object = try StoreObject(body)
        guard object.text("object") == "subscription", let id = object.text("id") else { return try event(body) }
        let contract = ContractKey(provider: .stripe, environment: stored.environment, app: stored.app, lineage: id)
        guard let statement = StripeStatement(body, of: contract, catalog: catalog, now: now) else {
            throw .malformed(.invalidPayload)
        }
        return statement.event(now: now)
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

/// Verifies an event, then reads the subscription that it is about: events overtake each other, but the API returns the
/// current state. Blocks.
public struct StripeFetchingVerifier: StoreVerifier {
    let verifier: StripeVerifier
    let api: StripeAPI
    /// Tells an operator why Stripe has to retry.
    var report: @Sendable (StoreAPIError) -> Void = { _ in }

    public var asksStore: Bool { true }
    public var signatureHeader: StaticString? { verifier.signatureHeader }

    /// Interprets the stored answer, if Stripe was asked at that time.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        guard let record = StoredReading(stored.body), case .notification(let body) = record.cause else {
            return try verifier.interpret(stored)
        }
        var delivered = stored
        delivered.body = body
        guard var event = try verifier.interpret(delivered) else { return nil }
        event.body = stored.body
        guard !event.isOfUnlistedAccount else { return event }
        (delivered.body, delivered.receivedAt) = (record.answer.body, record.answer.readAt)
        guard let read = try verifier.interpret(delivered) else { return event }
        if let observation = read.observation { event.observation = merged(observation, with: event.observation) }
        event.further = read.further
        event.isWhole = read.isWhole
        return event
    }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        var event = try verifier.verify(delivery, now: now)
        guard api.reads(event.environment), !event.isOfUnlistedAccount else { return event }
        do throws(StoreAPIError) {
            guard let contract = try contract(of: event), let statement = try api.subscription(contract, now: now)
            else { return event }
            event.observation = merged(statement.observation, with: event.observation)
            event.further = statement.further
            event.isWhole = statement.isWhole
            let answer = StoredReading.Answer(body: statement.body, readAt: now)
            event.body = StoredReading(.notification(delivery.body), answer: answer)?.bytes ?? delivery.body
            return event
        } catch {
            report(error)
            // The API would refuse every retry, and Stripe gives up after three days: the event's own state must do.
            if case .refused = error { return event }
            throw .storeUnreachable(error.silence)
        }
    }

    /// A charge does not name its subscription, but its invoice does.
    private func contract(of event: Event) throws(StoreAPIError) -> ContractKey? {
        if let key = event.observation?.contract, key.lineage.hasPrefix("sub_") { return key }
        guard event.observation?.token == nil, let charge = StripeStatement.charge(in: event),
            let subscription = try api.subscription(paidBy: charge, in: event.app)
        else { return nil }
        return ContractKey(provider: .stripe, environment: event.environment, app: event.app, lineage: subscription)
    }

    /// The state comes from the API; the event adds who pays, and how much.
    private func merged(_ read: Observation, with said: Observation?) -> Observation {
        guard let said, said.contract == read.contract else { return read }
        var merged = read
        merged.snapshot = read.snapshot ?? said.snapshot
        merged.token = said.token ?? read.token
        merged.account = said.account ?? read.account
        merged.transaction = said.transaction
        return merged
    }
}

public import Domain

/// Verifies that a webhook is Stripe's, and interprets it. It serves both modes: test events belong to the Sandbox.
///
/// With an API, it blocks, and reads the subscription that an event is about: events overtake each other, but the API
/// returns the current state.
public struct StripeVerifier: StoreVerifier {
    private let secrets: [[UInt8]]
    private let tolerance: Duration
    let accounts: Set<String>
    private let catalog: Catalog
    private let unlisted: @Sendable (_ account: String) -> Void
    /// Nil without a key.
    var stripeAPI: StripeAPI?
    /// Tells an operator why Stripe has to retry.
    var report: @Sendable (StoreAPIError) -> Void = { _ in }
    var timed: @Sendable (StoreTime) -> Void = { _ in }

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

    public var asksStore: Bool { stripeAPI != nil }
    public var signatureHeader: StaticString? { "stripe-signature" }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        try TimestampedSignature.check(delivery, secrets: secrets, tolerance: tolerance, now: now, timed: timed)
        let event = try event(delivery.body)
        if event.isOfUnlistedAccount {
            unlisted(event.app)
            return event
        }
        return try read(event, now: now)
    }

    /// Interprets again what was verified when it was committed: the signature is not stored, and would be too old. The
    /// body is a webhook's, an answer of the API, or both.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        // Without a key, nothing that it read counts again.
        guard stripeAPI != nil, let record = StoredReading(stored.body), case .notification(let body) = record.cause
        else {
            return try event(stored.body, in: stored, now: stored.receivedAt)
        }
        var event = try event(body, in: stored, now: stored.receivedAt)
        event.body = stored.body
        guard !event.isOfUnlistedAccount else { return event }
        let latest = (try? StoreObject(record.answer.body))?.object("latest_invoice")
        let isOfLatest =
            latest?.id("charge") != nil && latest?.id("charge") == (try? StripeEnvelope(body, catalog: catalog))?.charge
        event.name(invoice: isOfLatest ? latest?.text("id") : nil)
        event.adopt(try self.event(record.answer.body, in: stored, now: record.answer.readAt))
        return event
    }

    private func event(_ body: [UInt8], in stored: StoredDelivery, now: Instant) throws(VerificationError) -> Event {
        let object = try StoreObject(body)
        guard object.text("object") == "subscription", let id = object.text("id") else { return try event(body) }
        let contract = ContractKey(provider: .stripe, environment: stored.environment, app: stored.app, lineage: id)
        guard let event = StripeSubscription.event(body, of: contract, catalog: catalog, now: now) else {
            throw .malformed(.invalidPayload)
        }
        return event
    }

    private func event(_ body: [UInt8]) throws(VerificationError) -> Event {
        let envelope = try StripeEnvelope(body, catalog: catalog)
        guard let account = envelope.account, !accounts.contains(account) else { return envelope.event }
        if accounts.isEmpty { throw .wrongApp }
        return envelope.event(.providerUnknown, subtype: Event.unlistedAccount)
    }
}

extension StripeVerifier {
    /// `event` with the state that the API returns now.
    private func read(_ event: Event, now: Instant) throws(VerificationError) -> Event {
        guard let api = stripeAPI, api.reads(event.environment) else { return event }
        do throws(StoreAPIError) {
            guard let (contract, invoice) = try contract(of: event, api: api, now: now),
                let answer = try api.statement(of: contract, now: now)
            else { return event }
            var read = event
            read.name(invoice: invoice)
            read.adopt(answer)
            let record = StoredReading(.notification(event.body), answer: .init(body: answer.body, readAt: now))
            read.body = record?.bytes ?? event.body
            return read
        } catch {
            report(error)
            // The API would refuse every retry, and Stripe gives up after three days: the event's own state must do.
            if case .refused = error { return event }
            throw .storeUnreachable(error.silence)
        }
    }

    /// A charge does not name its subscription, but its invoice does: then that comes with it.
    private func contract(
        of event: Event,
        api: StripeAPI,
        now: Instant
    ) throws(StoreAPIError) -> (key: ContractKey, invoice: String?)? {
        if let key = event.observation?.contract, key.lineage.hasPrefix("sub_") { return (key, nil) }
        guard event.observation?.token == nil, event.type.hasPrefix("charge."),
            let charge = (try? StripeEnvelope(event.body, catalog: catalog))?.charge,
            let (subscription, invoice) = try api.subscription(paidBy: charge, in: event.app, now: now)
        else { return nil }
        let app = event.app
        return (
            ContractKey(provider: .stripe, environment: event.environment, app: app, lineage: subscription), invoice
        )
    }
}

extension Event {
    /// A refund of a subscription's charge is one of the invoice that it paid. Without that, nobody knows of which charge.
    fileprivate mutating func name(invoice: String?) {
        guard let said = observation, !said.contract.lineage.hasPrefix("sub_") else { return }
        let refund = said.charges.first?.refund
        observation?.charges = invoice.flatMap { id in refund.map { [Charge(id: id, refund: $0)] } } ?? []
    }

    /// The state comes from the API; the event adds who pays, and how much.
    fileprivate mutating func adopt(_ read: Event) {
        further = read.further
        isWhole = read.isWhole
        guard var merged = read.observation else { return }
        if let said = observation, said.contract == merged.contract {
            merged.snapshot = merged.snapshot ?? said.snapshot
            merged.token = said.token ?? merged.token
            merged.account = said.account ?? merged.account
            merged.transaction = said.transaction
        }
        merged.charges += observation?.charges ?? []
        observation = merged
    }
}

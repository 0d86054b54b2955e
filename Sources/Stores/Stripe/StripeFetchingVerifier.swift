public import Domain

/// Verifies an event, then reads the subscription that it is about: events overtake each other, but the API returns the
/// current state. Blocks.
public struct StripeFetchingVerifier: StoreVerifier {
    private let verifier: StripeVerifier
    private let api: StripeAPI
    private let report: @Sendable (StoreAPIError) -> Void

    /// `report` tells an operator why Stripe has to retry.
    public init(
        _ verifier: StripeVerifier,
        api: StripeAPI,
        report: @escaping @Sendable (StoreAPIError) -> Void = { _ in }
    ) {
        self.verifier = verifier
        self.api = api
        self.report = report
    }

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
        let read = try verifier.event(
            stored: record.answer.body,
            environment: stored.environment,
            app: stored.app,
            receivedAt: record.answer.readAt
        )
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

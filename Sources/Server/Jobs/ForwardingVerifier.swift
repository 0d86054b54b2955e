public import Domain
public import Stores

/// Forwards every Sandbox notification to other servers as well: Apple takes only one address, and a team has many
/// staging servers.
///
/// Each server gets the body that was posted here, signatures and all. The queue of jobs delivers it, so the answer
/// to the store does not wait for it. Servers may forward to each other in a circle: a duplicate is never forwarded, so
/// each server receives a notification at most twice.
public struct ForwardingVerifier: StoreVerifier {
    private let verifier: any StoreVerifier
    private let addresses: [String]

    public init(_ verifier: any StoreVerifier, to addresses: [String]) {
        self.verifier = verifier
        self.addresses = addresses
    }

    public var asksStore: Bool { verifier.asksStore }
    public var signatureHeader: StaticString? { verifier.signatureHeader }
    public var answers: WebhookAnswers { verifier.answers }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        var event = try verifier.verify(delivery, now: now)
        guard event.environment == .sandbox else { return event }
        event.jobs += addresses.map { address in
            Job(
                kind: .forward,
                provider: event.provider,
                environment: event.environment,
                app: event.app,
                subject: address,
                // Without the id, the next notification for that server would count as the same job.
                detail: event.id
            )
        }
        return event
    }

    /// Adds no jobs: the other servers got the event when it was new.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try verifier.interpret(stored)
    }
}

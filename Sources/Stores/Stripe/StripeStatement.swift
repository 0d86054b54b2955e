public import Domain

/// The API's answer about a subscription, interpreted like the object of an event.
public struct StripeStatement: Sendable {
    /// Its statement about the contract at the instant of the request; without a snapshot if the status is unknown.
    public let observation: Observation
    /// The observations of its further items; `isWhole` is true if they are complete.
    public let further: [Observation]
    public let isWhole: Bool
    /// The API's answer.
    public let body: [UInt8]
    private let environment: StoreEnvironment

    /// Returns nil unless the answer is that subscription. `contract.app` is the account that was asked.
    public init?(_ body: [UInt8], of contract: ContractKey, catalog: Catalog, now: Instant) {
        guard let object = try? StoreObject(body) else { return nil }
        let contract = contract.purchase ?? contract
        let subscription = StripeSubscription(object, catalog: catalog)
        guard object.text("object") == "subscription", subscription.id == contract.lineage,
            object.flag("livemode").map({ $0 == (contract.environment == .production) }) ?? true
        else { return nil }
        observation = subscription.observation(contract, snapshot: subscription.snapshot(statedAt: now))
        further = subscription.further(contract, statedAt: now)
        isWhole = subscription.isWhole
        environment = contract.environment
        self.body = body
    }

    /// The event to commit, like a webhook's.
    public func event(now: Instant) -> Event {
        Event(
            provider: .stripe,
            environment: environment,
            app: observation.contract.app,
            id: "read:\(observation.contract.lineage):\(now.milliseconds)",
            type: "subscription.read",
            kind: .contractUpdated,
            signedAt: now,
            observation: observation,
            further: further,
            isWhole: isWhole,
            body: body
        )
    }

    /// The subscription that a charge paid for, from the charge with its invoice expanded; nil for any other charge.
    public static func subscription(paidBy charge: [UInt8]) -> String? {
        guard let invoice = try? StoreObject(charge).object("invoice") else { return nil }
        return invoice.id("subscription") ?? invoice.object("parent", "subscription_details")?.id("subscription")
    }

    /// The charge that an event is about, if any.
    public static func charge(in event: Event) -> String? {
        guard event.type.hasPrefix("charge."), let envelope = try? StripeEnvelope(event.body) else { return nil }
        return switch envelope.object.text("object") {
        case "charge": envelope.object.text("id")
        case "dispute": envelope.object.id("charge")
        default: nil
        }
    }
}

public import Domain
import HTTPClient

/// Reads Stripe's API (https://docs.stripe.com/api). It changes nothing there, so a restricted key that may read
/// subscriptions, invoices and charges is enough.
public struct StripeAPI: StoreAPI {
    /// This version still joins a charge to its invoice, so one request returns the refunded amount. Newer ones do not.
    static let version = "2024-06-20"

    let key: String
    /// An origin such as `https://api.stripe.com`.
    let address: String
    var catalog = Catalog()
    var client = HTTPClient(timeout: .seconds(8))
    var observer: StoreCallObserver = { _ in }

    /// A key belongs to one mode, and its prefix names it.
    public func reads(_ environment: StoreEnvironment) -> Bool {
        switch key.split(separator: "_").dropFirst().first {
        case "live": environment == .production
        case "test": environment == .sandbox
        default: true
        }
    }

    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        try subscription(contract, now: now)?.event(now: now)
    }

    public func perform(_ job: Job, now: Instant) throws(StoreAPIError) {
        throw .refused(status: 0, code: nil, reason: "Stripe's API has no call for this job: \(job.kind.rawValue)")
    }

    /// Returns nil if Stripe does not know the subscription, and for contracts of other kinds.
    func subscription(_ contract: ContractKey, now: Instant) throws(StoreAPIError) -> StripeStatement? {
        let contract = contract.purchase ?? contract
        guard contract.provider == .stripe, contract.lineage.hasPrefix("sub_"), reads(contract.environment) else {
            return nil
        }
        let path = "/v1/subscriptions/\(contract.lineage)?expand%5B%5D=latest_invoice.charge&expand%5B%5D=schedule"
        guard let body = try get(path, of: contract.lineage, app: contract.app) else { return nil }
        guard let statement = StripeStatement(body, of: contract, catalog: catalog, now: now) else {
            throw .unreadable(reason: "it is not the subscription that was asked for")
        }
        return statement
    }

    /// The subscription that a charge paid for, if any.
    func subscription(paidBy charge: String, in app: String) throws(StoreAPIError) -> String? {
        try get("/v1/charges/\(charge)?expand%5B%5D=invoice", of: charge, app: app).flatMap {
            StripeStatement.subscription(paidBy: $0)
        }
    }

    /// Returns nil for 404. `id` comes from an event, so it is checked before it becomes part of a URL.
    private func get(_ path: String, of id: String, app: String) throws(StoreAPIError) -> [UInt8]? {
        guard id.utf8.allSatisfy({ isIDByte($0) }) else { return nil }
        var headers = [("Authorization", "Bearer \(key)"), ("Stripe-Version", StripeAPI.version)]
        if app.hasPrefix("acct_"), app.utf8.allSatisfy({ isIDByte($0) }) { headers.append(("Stripe-Account", app)) }
        let signed = headers
        return try witnessed(by: observer) { () throws(StoreAPIError) in try exchange(path, headers: signed) }
    }

    private func exchange(_ path: String, headers: [(String, String)]) throws(StoreAPIError) -> [UInt8]? {
        let response = try client.ask("GET", at: address + path, headers: headers)
        switch response.status {
        case 200: return response.body
        case 404: return nil
        case 401, 403:
            throw .unauthorized(
                reason: "PAYCAST_STRIPE_API_KEY must be able to read subscriptions, invoices and charges"
            )
        case 409, 429, 500...599: throw .unavailable(reason: "it answered \(response.status)")
        default: throw .refused(status: response.status, code: nil, reason: "GET \(path.prefix { $0 != "?" })")
        }
    }
}

/// Stripe's ids: letters, digits and underscores.
private func isIDByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
}

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

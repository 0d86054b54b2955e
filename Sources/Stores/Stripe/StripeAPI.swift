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

    @discardableResult
    public func perform(_ job: Job, now: Instant) throws(StoreAPIError) -> [Event] {
        throw .refused(status: 0, code: nil, reason: "Stripe's API has no call for this job: \(job.kind.rawValue)")
    }

    /// Returns nil if Stripe does not know the subscription, and for contracts of other kinds.
    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        let contract = contract.purchase ?? contract
        guard contract.provider == .stripe, contract.lineage.hasPrefix("sub_"), reads(contract.environment) else {
            return nil
        }
        let path = "/v1/subscriptions/\(contract.lineage)?expand%5B%5D=latest_invoice.charge&expand%5B%5D=schedule"
        guard let body = try get(path, of: contract.lineage, app: contract.app, now: now) else { return nil }
        guard let event = StripeSubscription.event(body, of: contract, catalog: catalog, now: now) else {
            throw .unreadable(reason: "it is not the subscription that was asked for")
        }
        return event
    }

    /// The subscription that a charge paid for, and its invoice; nil for any other charge.
    func subscription(
        paidBy charge: String,
        in app: String,
        now: Instant
    ) throws(StoreAPIError) -> (subscription: String, invoice: String?)? {
        guard let body = try get("/v1/charges/\(charge)?expand%5B%5D=invoice", of: charge, app: app, now: now),
            let invoice = try? StoreObject(body).object("invoice")
        else { return nil }
        return StripeInvoice(object: invoice, catalog: catalog).subscription.map { ($0, invoice.text("id")) }
    }

    /// Returns nil for 404. `id` comes from an event, so it is checked before it becomes part of a URL.
    private func get(_ path: String, of id: String, app: String, now: Instant) throws(StoreAPIError) -> [UInt8]? {
        guard id.utf8.allSatisfy({ isIDByte($0) }) else { return nil }
        let isConnected = app.hasPrefix("acct_") && app.utf8.allSatisfy(isIDByte)
        let account = isConnected ? [("Stripe-Account", app)] : []
        let headers = [("Authorization", "Bearer \(key)"), ("Stripe-Version", StripeAPI.version)] + account
        return try witnessed(by: observer) { () throws(StoreAPIError) in
            let response = try client.ask("GET", at: address + path, headers: headers)
            switch response.status {
            case 200: return response.body
            case 404: return nil
            case 401, 403:
                let todo = "must be able to read subscriptions, invoices and charges"
                throw .unauthorized(reason: "PAYCAST_STRIPE_API_KEY \(todo)")
            case 409, 429, 500...599:
                let after = StoreAPIError.comeback(response.header("Retry-After"), now: now)
                throw .unavailable(reason: "it answered \(response.status)", after: after)
            default: throw .refused(status: response.status, code: nil, reason: "GET \(path.prefix { $0 != "?" })")
            }
        }
    }
}

/// Of Stripe's ids.
private func isIDByte(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || byte == UInt8(ascii: "_") }

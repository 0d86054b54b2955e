internal import Domain
internal import Encoding
internal import HTTPClient

/// The routes of a Paycast server that a simulated store needs.
struct ServerRoutes: Sendable {
    private let address: String
    private let apiKey: String
    private let client: HTTPClient

    init(address: String, apiKey: String, client: HTTPClient) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.apiKey = apiKey
        self.client = client
    }

    func createOrder(
        user: String,
        product: String,
        kind: ProductKind,
        at provider: Provider
    ) throws(StoreDriverError) -> OrderToken {
        let body = StoreJSON.encode(
            OrderRequest(user: user, product: product, provider: provider.rawValue, kind: kind.rawValue)
        )
        let response = try send("POST", "/orders", body)
        guard (200...201).contains(response.status),
            let order = StoreJSON.decode(OrderAnswer.self, from: response.body).flatMap({ OrderToken($0.order) })
        else { throw refusal("POST /orders", response) }
        return order
    }

    func entitlements(of user: String) throws(StoreDriverError) -> [HeldEntitlement] {
        let response = try send("GET", "/users/\(PercentEncoding.encode(user))/entitlements", nil)
        guard response.status == 200, let answer = StoreJSON.decode(EntitlementsAnswer.self, from: response.body) else {
            throw refusal("GET /users/…/entitlements", response)
        }
        return answer.entitlements
    }

    /// Sends no API key, since stores have none.
    func post(_ delivery: SimulatedDelivery) throws(StoreDriverError) -> HTTPClient.Response {
        try send("POST", delivery.path, delivery.body, headers: delivery.headers)
    }

    /// Sets what the stand-in for the store's API answers from now on.
    func put(_ document: (path: String, json: [UInt8]), of provider: Provider) throws(StoreDriverError) {
        let slash = document.path.hasPrefix("/") ? "" : "/"
        let path = "/demo/api/\(provider.rawValue)\(slash)\(document.path)"
        let response = try send("PUT", path, document.json, headers: [])
        // A server without a stand-in for this store does not call the store, either.
        guard (200...299).contains(response.status) || response.status == 404 else {
            throw refusal("PUT \(path)", response)
        }
    }

    /// Moves the server's clock and returns its time. A duration of zero only asks for the time.
    func advanceClock(by duration: Duration) throws(StoreDriverError) -> Instant {
        let body = StoreJSON.encode(ClockRequest(advance: duration.components.seconds))
        let response = try send("PUT", "/demo/api/clock", body, headers: [])
        guard response.status == 200,
            let now = StoreJSON.decode(ClockAnswer.self, from: response.body).flatMap({ Instant(iso8601: $0.now) })
        else { throw refusal("PUT /demo/api/clock", response) }
        return now
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]?) throws(StoreDriverError)
        -> HTTPClient.Response
    {
        try send(method, path, body, headers: [("Authorization", "Bearer \(apiKey)")])
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8]?,
        headers: [(String, String)]
    ) throws(StoreDriverError) -> HTTPClient.Response {
        let isStated = body == nil || headers.contains { $0.0.lowercased() == "content-type" }
        let content = isStated ? [] : [("Content-Type", "application/json")]
        do {
            return try client.send(method, address + path, headers: headers + content, body: body)
        } catch {
            throw .unreachable(error)
        }
    }

    private func refusal(_ route: String, _ response: HTTPClient.Response) -> StoreDriverError {
        let message = StoreJSON.decode(ErrorAnswer.self, from: response.body)?.message
        return .refused(route: route, status: response.status, message: message)
    }
}

private struct OrderRequest: Encodable {
    var user: String
    var product: String
    var provider: String
    var kind: String
}

private struct ClockRequest: Encodable {
    var advance: Int64
}

private struct ClockAnswer: Decodable {
    var now: String
}

private struct OrderAnswer: Decodable {
    var order: String
}

private struct EntitlementsAnswer: Decodable {
    var entitlements: [HeldEntitlement]
}

private struct ErrorAnswer: Decodable {
    var message: String?
}

struct WebhookAnswer: Decodable {
    var outcome: String?
    var event: String?
    var cursor: String?
}

/// One entitlement as the server returns it.
struct HeldEntitlement: Decodable {
    var product: String
    var group: String?
    var state: String
    var accessUntil: String?
    var autoRenew: Bool?
    var pendingProduct: String?
    var provider: String
    var environment: String
    /// The store's lineage id.
    var contract: String

    enum CodingKeys: String, CodingKey {
        case product, group, state, provider, environment, contract
        case accessUntil = "access_until"
        case autoRenew = "auto_renew"
        case pendingProduct = "pending_product"
    }
}

internal import APIModel
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
        let request = CreateOrderRequest(
            user: UserID(user),
            product: product,
            provider: provider.rawValue,
            kind: kind.rawValue
        )
        let response = try send("POST", path: "/orders", body: JSON.encode(request))
        guard (200...201).contains(response.status),
            let answer = JSON.decode(CreateOrderAnswer.self, from: response.body),
            let order = OrderToken(answer.order.order)
        else { throw refusal("POST /orders", response: response) }
        return order
    }

    func entitlements(of user: String) throws(StoreDriverError) -> [EntitlementItem] {
        let response = try send("GET", path: "/users/\(PercentEncoding.encode(user))/entitlements", body: nil)
        guard response.status == 200, let answer = JSON.decode(EntitlementsAnswer.self, from: response.body) else {
            throw refusal("GET /users/…/entitlements", response: response)
        }
        return answer.entitlements
    }

    /// The token that the store has echoed for a contract of the user.
    func order(of contract: String, user: String) throws(StoreDriverError) -> OrderToken? {
        let response = try send("GET", path: "/users/\(PercentEncoding.encode(user))", body: nil)
        guard response.status == 200, let answer = JSON.decode(UserAnswer.self, from: response.body) else {
            throw refusal("GET /users/…", response: response)
        }
        let found = answer.contracts.first { $0.entitlement.contract == contract }
        return found?.details.order.flatMap { OrderToken($0) }
    }

    /// Sends no API key, since stores have none.
    func post(_ delivery: SimulatedDelivery) throws(StoreDriverError) -> HTTPClient.Response {
        try send("POST", path: delivery.path, body: delivery.body, headers: delivery.headers)
    }

    /// Sets what the stand-in for the store's API answers from now on.
    func put(_ document: (path: String, json: [UInt8]), of provider: Provider) throws(StoreDriverError) {
        let slash = document.path.hasPrefix("/") ? "" : "/"
        let path = "/demo/api/\(provider.rawValue)\(slash)\(document.path)"
        let response = try send("PUT", path: path, body: document.json, headers: [])
        // A server without a stand-in for this store does not call the store, either.
        guard (200...299).contains(response.status) || response.status == 404 else {
            throw refusal("PUT \(path)", response: response)
        }
    }

    /// Moves the server's clock and returns its time. A duration of zero only asks for the time.
    func advanceClock(by duration: Duration) throws(StoreDriverError) -> Instant {
        let body = JSON.encode(ClockRequest(advance: duration.components.seconds))
        let response = try send("PUT", path: "/demo/api/clock", body: body, headers: [])
        guard response.status == 200,
            let now = JSON.decode(ClockAnswer.self, from: response.body).flatMap({ Instant(iso8601: $0.now) })
        else { throw refusal("PUT /demo/api/clock", response: response) }
        return now
    }

    private func send(_ method: String, path: String, body: [UInt8]?) throws(StoreDriverError)
        -> HTTPClient.Response
    {
        try send(method, path: path, body: body, headers: [("Authorization", "Bearer \(apiKey)")])
    }

    private func send(
        _ method: String,
        path: String,
        body: [UInt8]?,
        headers: [(String, String)]
    ) throws(StoreDriverError) -> HTTPClient.Response {
        let isStated = body == nil || headers.contains { $0.0.lowercased() == "content-type" }
        let content = isStated ? [] : [("Content-Type", "application/json")]
        do {
            return try client.send(method, to: address + path, headers: headers + content, body: body)
        } catch {
            throw .unreachable(error)
        }
    }

    private func refusal(_ route: String, response: HTTPClient.Response) -> StoreDriverError {
        // Google's own form, or ours.
        let message =
            JSONNode(response.body)?["error"]?["message"]?.text
            ?? JSON.decode(ErrorAnswer.self, from: response.body)?.message
        return .refused(route: route, status: response.status, message: message)
    }
}

internal import Domain
internal import HTTPClient

/// The three routes of a Paycast server that the simulated store needs.
struct ServerRoutes: Sendable {
    private let address: String
    private let apiKey: String
    private let client: HTTPClient

    init(address: String, apiKey: String, client: HTTPClient) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.apiKey = apiKey
        self.client = client
    }

    func createOrder(user: String, product: String, kind: ProductKind) throws(StoreDriverError) -> OrderToken {
        let body = StoreJSON.encode(
            OrderRequest(user: user, product: product, provider: Provider.apple.rawValue, kind: kind.rawValue)
        )
        let response = try send("POST", "/orders", body)
        guard (200...201).contains(response.status),
            let order = StoreJSON.decode(OrderAnswer.self, from: response.body).flatMap({ OrderToken($0.order) })
        else { throw refusal("POST /orders", response) }
        return order
    }

    func entitlements(of user: String) throws(StoreDriverError) -> [HeldEntitlement] {
        let response = try send("GET", "/users/\(escaped(user))/entitlements", nil)
        guard response.status == 200, let answer = StoreJSON.decode(HoldingsAnswer.self, from: response.body) else {
            throw refusal("GET /users/…/entitlements", response)
        }
        return answer.entitlements
    }

    /// Without the API key: Apple has none.
    func postNotification(_ body: [UInt8]) throws(StoreDriverError) -> HTTPClient.Response {
        try send("POST", "/webhooks/apple", body, headers: [])
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
        let content = body == nil ? [] : [("Content-Type", "application/json")]
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

    /// One path segment (RFC 3986 §3.3): everything but unreserved characters is escaped.
    private func escaped(_ segment: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return segment.utf8.map { byte in
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: String(Unicode.Scalar(byte))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
    }
}

private struct OrderRequest: Encodable {
    var user: String
    var product: String
    var provider: String
    var kind: String
}

private struct OrderAnswer: Decodable {
    var order: String
}

private struct HoldingsAnswer: Decodable {
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

/// One entitlement as the server answers it.
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

internal import Foundation

/// The routes that an app uses, in the server's own JSON. Nothing here tries again: that is the machine's decision.
struct PaycastServer: Sendable {
    private let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func post(_ delivery: Delivery, at now: Date) async -> PostAnswer {
        guard let response = try? await transport.send(.transaction(delivery)) else { return .unreachable }
        return PostAnswer(response, at: now)
    }

    func entitlements(of stream: SignedStream, etag: String?, at now: Date) async -> EntitlementsAnswer {
        guard let response = try? await transport.send(.entitlements(of: stream, etag: etag)) else {
            return .failed(retryAfter: nil)
        }
        return EntitlementsAnswer(response, at: now)
    }
}

extension ServerRequest {
    /// `POST /transactions/apple`, for the user of the delivery's stream.
    static func transaction(_ delivery: Delivery) -> ServerRequest {
        struct Body: Encodable {
            var signedTransaction: String
            var stream: String?
            var order: String?
        }
        return post(
            "transactions/apple",
            body: Body(
                signedTransaction: delivery.transaction.jws,
                stream: delivery.stream?.text,
                order: delivery.order?.uuidString.lowercased()
            )
        )
    }

    /// `GET /entitlements`, for the holder of the stream.
    static func entitlements(of stream: SignedStream, etag: String?) -> ServerRequest {
        ServerRequest(
            method: "GET",
            path: "entitlements",
            query: ["name": stream.text],
            headers: etag.map { ["If-None-Match": $0] } ?? [:]
        )
    }

    fileprivate static func post(_ path: String, body: some Encodable, key: String? = nil) -> ServerRequest {
        var headers = ["Content-Type": "application/json"]
        headers["Authorization"] = key.map { "Bearer \($0)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and nothing else: it cannot fail.
        return ServerRequest(method: "POST", path: path, headers: headers, body: (try? encoder.encode(body)) ?? Data())
    }
}

/// Makes orders with an API key. For backends, tools and `paycast serve --dev`: a key does not belong into an app that is
/// given to people.
public struct OrdersByKey: OrderSource {
    private let transport: any Transport
    private let key: String
    private let user: String

    public init(transport: any Transport, key: String, user: String) {
        self.transport = transport
        self.key = key
        self.user = user
    }

    public func order(for product: String) async throws -> Order {
        struct Body: Encodable {
            var user: String
            var product: String
        }
        struct Created: Decodable {
            var order: UUID
            var signedStream: SignedStream

            private enum CodingKeys: String, CodingKey {
                case order
                case signedStream = "signed_stream"
            }
        }
        let request = ServerRequest.post("orders", body: Body(user: user, product: product), key: key)
        guard let response = try? await transport.send(request) else { throw PurchaseError.offline }
        if response.status == 201, let created = try? JSONDecoder().decode(Created.self, from: response.body) {
            return Order(token: created.order, stream: created.signedStream)
        }
        guard let error = try? JSONDecoder().decode(ServerError.self, from: response.body), response.status < 500 else {
            throw PurchaseError.offline
        }
        throw PurchaseError.orderRefused(code: error.error)
    }
}

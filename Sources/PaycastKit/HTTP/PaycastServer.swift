internal import Foundation

/// The routes that an app uses, in the server's own JSON. Nothing here tries again: that is the machine's decision.
struct PaycastServer: Sendable {
    private let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    /// `POST /transactions/apple`. Only what the stream's user has tapped for may take a purchase from its owner.
    func post(_ transaction: SignedTransaction, order: UUID?, _ post: Delivery.Post) async -> PostAnswer {
        let body = TransactionBody(
            signedTransaction: transaction.jws,
            signedRenewalInfo: transaction.renewalInfo,
            stream: post.stream,
            order: order?.uuidString.lowercased(),
            asked: post.asked
        )
        let response = try? await transport.send(.post("transactions/apple", body: body))
        return response.map { PostAnswer($0) } ?? .unreachable
    }

    /// `GET /entitlements`, for the holder of the stream.
    func entitlements(of stream: SignedStream, etag: String?) async -> EntitlementsAnswer {
        let known = ["If-None-Match": etag].compactMapValues(\.self)
        let request = ServerRequest(method: "GET", path: "entitlements", query: ["name": stream.text], headers: known)
        let response = try? await transport.send(request)
        return response.map { EntitlementsAnswer($0) } ?? .failed(retryAfter: nil)
    }

    /// `POST /offers/apple`: the signature that lets the stream's user buy with an offer. The store takes it once.
    func signature(of offer: String, product: String, stream: SignedStream) async throws(PurchaseError) -> String {
        struct Answer: Decodable {
            var jws: String
        }
        let body = ["stream": stream.text, "product": product, "offer": offer]
        guard let response = try? await transport.send(.post("offers/apple", body: body)) else { throw .offline }
        let answer = try? JSONDecoder().decode(Answer.self, from: response.body)
        guard response.status == 200, let answer else { throw response.status < 500 ? .unknownOffer : .offline }
        return answer.jws
    }

    /// `GET /catalog`.
    func catalog(locale: String?) async throws(PurchaseError) -> Catalog {
        let query = ["locale": locale].compactMapValues(\.self)
        let response = try? await transport.send(ServerRequest(method: "GET", path: "catalog", query: query))
        guard let response, response.status == 200,
            let catalog = try? JSONDecoder().decode(Catalog.self, from: response.body)
        else { throw .offline }
        return catalog
    }

    /// `GET /streams`, as Server-Sent Events: what open pages of the user get.
    func events(of stream: SignedStream, since cursor: String?) -> AsyncStream<ServerSentEvent> {
        let query = ["name": stream.text, "since": cursor].compactMapValues(\.self)
        let headers = ["Accept": "text/event-stream"]
        return transport.events(ServerRequest(method: "GET", path: "streams", query: query, headers: headers))
    }
}

/// What is nil is left out.
private struct TransactionBody: Encodable {
    var signedTransaction: String
    var signedRenewalInfo: String?
    var stream: SignedStream
    var order: String?
    var asked: Bool?
}

extension ServerRequest {
    fileprivate static func post(_ path: String, body: some Encodable) -> ServerRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and a truth value: it cannot fail.
        let bytes = (try? encoder.encode(body)) ?? Data()
        return ServerRequest(method: "POST", path: path, headers: ["Content-Type": "application/json"], body: bytes)
    }
}

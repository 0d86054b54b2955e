internal import Foundation

/// The routes that an app uses, in the server's own JSON. Nothing here tries again: that is the machine's decision.
struct PaycastServer: Sendable {
    private let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    /// `POST /transactions/apple`, for the user of the delivery's stream.
    func post(_ delivery: Delivery) async -> PostAnswer {
        let body = [
            "signedTransaction": delivery.transaction.jws,
            "signedRenewalInfo": delivery.transaction.renewalInfo,
            "stream": delivery.memo.stream?.text,
            "order": delivery.memo.order?.uuidString.lowercased(),
        ]
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

    /// `GET /streams`, as Server-Sent Events: what open pages of the user get.
    func events(of stream: SignedStream, since cursor: String?) -> AsyncStream<ServerSentEvent> {
        let query = ["name": stream.text, "since": cursor].compactMapValues(\.self)
        let headers = ["Accept": "text/event-stream"]
        return transport.events(ServerRequest(method: "GET", path: "streams", query: query, headers: headers))
    }
}

extension ServerRequest {
    fileprivate static func post(_ path: String, body: [String: String?]) -> ServerRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and nothing else: it cannot fail.
        let bytes = (try? encoder.encode(body.compactMapValues(\.self))) ?? Data()
        return ServerRequest(method: "POST", path: path, headers: ["Content-Type": "application/json"], body: bytes)
    }
}

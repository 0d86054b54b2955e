internal import Foundation

/// The routes that an app uses, in the server's own JSON. Nothing here tries again: that is the machine's decision.
struct PaycastServer: Sendable {
    let transport: any Transport

    /// `POST /transactions/apple`. Only what the stream's user has tapped for may take a purchase from its owner.
    func post(_ post: Delivery.Post) async -> PostAnswer {
        let response = try? await transport.send(.post("transactions/apple", body: post))
        return response.map { PostAnswer($0) } ?? .unreachable
    }

    /// `GET /entitlements`, for the holder of the stream. Nil without an answer.
    func entitlements(of stream: SignedStream, etag: String?) async -> ServerResponse? {
        let known = ["If-None-Match": etag].compactMapValues(\.self)
        let request = ServerRequest(path: "entitlements", query: ["name": stream.rawValue], headers: known)
        return try? await transport.send(request)
    }

    /// `POST /offers/apple`: the signature that lets the stream's user buy with an offer. The store takes it once.
    func signature(of offer: String, product: String, stream: SignedStream) async throws(PurchaseError) -> String {
        let body = ["stream": stream.rawValue, "product": product, "offer": offer]
        guard let response = try? await transport.send(.post("offers/apple", body: body)) else { throw .offline }
        guard response.status == 200, let jws = response.decoded(as: [String: String].self)?["jws"] else {
            throw response.status < 500 ? .unknownOffer : .offline
        }
        return jws
    }

    /// `GET /catalog`.
    func catalog(locale: String?) async throws(PurchaseError) -> Catalog {
        let query = ["locale": locale].compactMapValues(\.self)
        let response = try? await transport.send(ServerRequest(path: "catalog", query: query))
        guard response?.status == 200, let catalog = response?.decoded(as: Catalog.self) else { throw .offline }
        return catalog
    }

    /// `GET /purchases`, for the holder of the stream.
    func charges(of stream: SignedStream, product: String?, before: String?, limit: Int) async throws(PurchaseError)
        -> ChargePage
    {
        let query = ["name": stream.rawValue, "product": product, "before": before, "limit": "\(limit)"]
        let request = ServerRequest(path: "purchases", query: query.compactMapValues(\.self))
        guard let response = try? await transport.send(request) else { throw .offline }
        guard response.status != 403 else { throw .notLoggedIn }
        guard response.status == 200, let page = response.decoded(as: ChargePage.self) else { throw .offline }
        return page
    }

    /// `GET /streams`, as Server-Sent Events: what open pages of the user get.
    func events(of stream: SignedStream, since cursor: String?) -> AsyncStream<ServerSentEvent> {
        let query = ["name": stream.rawValue, "since": cursor].compactMapValues(\.self)
        let headers = ["Accept": "text/event-stream"]
        return transport.events(ServerRequest(path: "streams", query: query, headers: headers))
    }
}

extension ServerRequest {
    fileprivate static func post(_ path: String, body: some Encodable) -> ServerRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and a truth value: it cannot fail.
        let bytes = (try? encoder.encode(body)) ?? Data()
        return ServerRequest(path: path, headers: ["Content-Type": "application/json"], body: bytes)
    }
}

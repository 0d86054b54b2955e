internal import Foundation

/// The routes that an app uses, in the server's own JSON.
extension ServerRequest {
    /// `POST /transactions/apple`, for the user of the stream.
    ///
    /// - Parameters:
    ///   - jws: What the store signed.
    ///   - renewalInfo: What it signed of the subscription's next period.
    ///   - order: The user's order, for a transaction that carries no token of its own.
    static func transaction(_ jws: String, renewalInfo: String?, stream: String?, order: UUID?) -> ServerRequest {
        struct Body: Encodable {
            var signedTransaction: String
            var signedRenewalInfo: String?
            var stream: String?
            var order: String?
        }
        let order = order?.uuidString.lowercased()
        let body = Body(signedTransaction: jws, signedRenewalInfo: renewalInfo, stream: stream, order: order)
        return post("transactions/apple", body: body)
    }

    /// `POST /offers/apple`, for the user of the stream.
    static func offer(_ id: String, product: String, stream: String) -> ServerRequest {
        post("offers/apple", body: ["stream": stream, "product": product, "offer": id])
    }

    /// `GET /entitlements`, for the holder of the stream.
    static func entitlements(of stream: String, etag: String?) -> ServerRequest {
        ServerRequest(
            method: "GET",
            path: "entitlements",
            query: ["name": stream],
            headers: etag.map { ["If-None-Match": $0] } ?? [:]
        )
    }

    /// `GET /streams`, as Server-Sent Events.
    static func stream(_ name: String, since cursor: String?) -> ServerRequest {
        let query = ["name": name, "since": cursor].compactMapValues(\.self)
        return ServerRequest(method: "GET", path: "streams", query: query, headers: ["Accept": "text/event-stream"])
    }

    private static func post(_ path: String, body: some Encodable) -> ServerRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and nothing else: it cannot fail.
        let bytes = (try? encoder.encode(body)) ?? Data()
        return ServerRequest(method: "POST", path: path, headers: ["Content-Type": "application/json"], body: bytes)
    }
}

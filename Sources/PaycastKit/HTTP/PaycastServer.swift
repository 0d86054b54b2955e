internal import Foundation
internal import PaycastKitSystem

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

    private static func post(_ path: String, body: some Encodable) -> ServerRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and nothing else: it cannot fail.
        let bytes = (try? encoder.encode(body)) ?? Data()
        return ServerRequest(method: "POST", path: path, headers: ["Content-Type": "application/json"], body: bytes)
    }
}

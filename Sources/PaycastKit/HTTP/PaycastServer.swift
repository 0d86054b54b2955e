internal import Foundation

/// The routes that an app uses. Nothing here tries again: that is the machine's decision.
struct PaycastServer: Sendable {
    private let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func post(_ delivery: Delivery) async -> PostAnswer {
        guard let response = try? await transport.send(.transaction(delivery)) else { return .unreachable }
        return PostAnswer(response)
    }

    func entitlements(of stream: SignedStream, etag: String?) async -> EntitlementsAnswer {
        guard let response = try? await transport.send(.entitlements(of: stream.text, etag: etag)) else {
            return .failed(retryAfter: nil)
        }
        return EntitlementsAnswer(response)
    }

    /// The signature that lets the stream's user buy with an offer. The store takes it once.
    func signature(of offer: String, product: String, stream: SignedStream) async throws(PurchaseError) -> String {
        struct Answer: Decodable {
            var jws: String
        }
        guard let response = try? await transport.send(.offer(offer, product: product, stream: stream.text)) else {
            throw .offline
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: response.body)
        guard response.status == 200, let answer else { throw response.status < 500 ? .unknownOffer : .offline }
        return answer.jws
    }

    /// What open pages of the user get.
    func events(of stream: SignedStream, since cursor: String?) -> AsyncStream<ServerSentEvent> {
        transport.events(.stream(stream.text, since: cursor))
    }
}

extension ServerRequest {
    /// For the user of the delivery's stream.
    static func transaction(_ delivery: Delivery) -> ServerRequest {
        let memo = delivery.memo
        let signed = delivery.transaction
        return transaction(signed.jws, renewalInfo: signed.renewalInfo, stream: memo.stream?.text, order: memo.order)
    }
}

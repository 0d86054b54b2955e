internal import Foundation

/// The routes that an app uses. Nothing here tries again: that is the machine's decision.
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
        guard let response = try? await transport.send(.entitlements(of: stream.text, etag: etag)) else {
            return .failed(retryAfter: nil)
        }
        return EntitlementsAnswer(response, at: now)
    }

    /// What open pages of the user get.
    func events(of stream: SignedStream, since cursor: String?) -> AsyncStream<ServerSentEvent> {
        transport.events(.stream(stream.text, since: cursor))
    }
}

extension ServerRequest {
    /// For the user of the delivery's stream.
    static func transaction(_ delivery: Delivery) -> ServerRequest {
        transaction(delivery.transaction.jws, stream: delivery.memo.stream?.text, order: delivery.memo.order)
    }
}

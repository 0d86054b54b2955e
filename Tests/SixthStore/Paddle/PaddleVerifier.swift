import Crypto
import Domain
import Encoding
import Stores

/// Proves that a webhook was signed with Paddle's secret, and says what it means
/// (https://developer.paddle.com/webhooks/signature-verification).
struct PaddleVerifier: StoreVerifier, OpenStore {
    /// Paddle's own libraries allow 5 s; a queue in front of this server may hold a delivery for longer.
    private static let tolerance = Duration.seconds(300)

    let secret: String

    var signatureHeader: StaticString? { "paddle-signature" }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        guard let header = delivery.signature else { throw .malformed(.missingSignature) }
        let parts = header.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let values = Dictionary(parts.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
        guard let stamp = values["ts"], let seconds = Int64(stamp), (0...253_402_300_799).contains(seconds),
            let given = values["h1"].flatMap(Hex.decode)
        else { throw .malformed(.missingSignature) }
        let expected = HMAC.authenticate(Array("\(stamp):".utf8) + delivery.body, key: Array(secret.utf8))
        guard constantTimeCompare(given, with: expected) else { throw .untrusted(.badSignature) }
        let signedAt = Instant(milliseconds: seconds * 1000)
        guard signedAt + PaddleVerifier.tolerance >= now else { throw .untrusted(.signedInPast) }
        guard signedAt <= now + PaddleVerifier.tolerance else { throw .untrusted(.signedInFuture) }
        return try event(delivery.body)
    }

    func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? { try event(stored.body) }

    private func event(_ body: [UInt8]) throws(VerificationError) -> Event {
        let envelope = try StoreObject(body)
        guard let id = try envelope.checkedText("event_id"), let type = try envelope.checkedText("event_type"),
            let occurredAt = try envelope.checkedDate("occurred_at")
        else { throw .malformed(.invalidPayload) }
        let subscription =
            type.hasPrefix("subscription.") ? envelope.object("data").flatMap(PaddleSubscription.init) : nil
        return Event(
            provider: PaddleStore.provider,
            environment: .production,
            app: PaddleStore.provider.rawValue,
            id: id,
            type: type,
            kind: subscription?.kind(of: type) ?? .providerUnknown,
            signedAt: occurredAt,
            observation: subscription?.observation(at: occurredAt),
            body: body
        )
    }
}

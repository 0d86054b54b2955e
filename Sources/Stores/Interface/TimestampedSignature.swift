import Crypto
public import Domain
import Encoding

/// `t=SECONDS,v1=HEX[,v1=HEX…]`, an HMAC-SHA256 of `SECONDS.BODY`: `Stripe-Signature`
/// (https://docs.stripe.com/webhooks#verify-manually) and `X-RevenueCat-Webhook-Signature`
/// (https://www.revenuecat.com/docs/integrations/webhooks). While secrets are rolled, there is one `v1` for each. Every attempt
/// to deliver is signed anew.
public struct TimestampedSignature {
    /// Genuine headers have at most two, while a secret is rolled.
    private static let limit = 16

    /// As in the header, because the signature covers it.
    private let timestamp: Substring
    private let seconds: Int64
    private let codes: [[UInt8]]

    public init(_ header: String?) throws(VerificationError) {
        let fields = (header ?? "").split(separator: ",", maxSplits: 64).map { field in
            field.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        let times = fields.filter { $0.count == 2 && $0[0] == "t" }
        let codes = fields.filter { $0.count == 2 && $0[0] == "v1" }
        guard times.count == 1, let timestamp = times.first?.last, let seconds = Int64(timestamp),
            timestamp.utf8.allSatisfy({ (48...57).contains($0) }),
            (1...TimestampedSignature.limit).contains(codes.count)
        else { throw .malformed(.missingSignature) }
        self.timestamp = timestamp
        self.seconds = seconds
        self.codes = codes.compactMap { Hex.decode(String($0[1])) }
    }

    /// Accepts any code that any secret made. It checks the age only after the signature.
    public func check(
        _ body: [UInt8],
        secrets: [[UInt8]],
        tolerance: Duration,
        now: Instant
    ) throws(VerificationError) {
        let message = Array("\(timestamp).".utf8) + body
        let isGenuine = secrets.contains { secret in
            let expected = HMAC.authenticate(message, key: secret)
            return codes.contains { constantTimeCompare($0, with: expected) }
        }
        guard isGenuine else { throw .untrusted(.badSignature) }
        let limit = tolerance.components.seconds
        guard seconds >= now.seconds - limit else { throw .untrusted(.signedInPast) }
        guard seconds <= now.seconds + limit else { throw .untrusted(.signedInFuture) }
    }
}

public import Domain
internal import Encoding
public import StoreInterface

extension AppleVerifier {
    /// Verifies a transaction that an app posted. The event's body holds the signed texts only, not the request's key.
    public func verify(
        transaction: String,
        renewalInfo: String?,
        now: Instant
    ) throws(VerificationError) -> Event {
        let renewal = renewalInfo.map { #","signedRenewalInfo":\#(JSONLiteral.literal($0))"# } ?? ""
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(transaction))\#(renewal)}"#
        return try verifier(ofPosted: transaction)
            .verify(transaction: transaction, renewalInfo: renewalInfo, body: Array(body.utf8), now: now)
    }
}

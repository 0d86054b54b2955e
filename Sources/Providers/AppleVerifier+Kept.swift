public import Domain
internal import JSONText

/// What the ledger keeps of a transaction that an app posted: the signed texts, without the key that let it in.
extension AppleVerifier {
    /// Proves one posted transaction.
    public func verify(
        transaction: String,
        renewalInfo: String?,
        now: Instant
    ) throws(VerificationError) -> Event {
        let body = AppleVerifier.kept(transaction, renewalInfo)
        return try verify(transaction: transaction, renewalInfo: renewalInfo, body: body, now: now)
    }

    /// Proves again what was kept.
    public func verify(kept body: [UInt8], now: Instant) throws(VerificationError) -> Event {
        let node = JSONNode(body)
        guard let transaction = node?["signedTransaction"]?.text else { throw .malformed(.invalidJSON) }
        let renewalInfo = node?["signedRenewalInfo"]?.text
        return try verify(transaction: transaction, renewalInfo: renewalInfo, body: body, now: now)
    }

    private static func kept(_ transaction: String, _ renewalInfo: String?) -> [UInt8] {
        let renewal = renewalInfo.map { #","signedRenewalInfo":\#(JSONLiteral.literal($0))"# } ?? ""
        return Array(#"{"signedTransaction":\#(JSONLiteral.literal(transaction))\#(renewal)}"#.utf8)
    }
}

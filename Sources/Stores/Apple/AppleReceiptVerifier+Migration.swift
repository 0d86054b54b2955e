public import AppleReceipts
public import Domain
public import Encoding
internal import StoreInterface

extension AppleReceiptVerifier {
    /// Interprets a stored answer of `verifyReceipt`, for apps that bring their subscribers along.
    ///
    /// The answer is not signed: the client that may post it vouches for it. It is dated by the request that Apple
    /// answered, so that every statement that Apple signed later wins, in whatever order they arrive. `environment` is
    /// the one that was asked, for answers that do not name it; `body` is what the ledger stores.
    public func migrate(
        _ node: JSONNode,
        environment asked: StoreEnvironment?,
        body: [UInt8],
        now: Instant
    ) throws(VerifyReceiptProblem) -> [Event] {
        guard let answer = VerifyReceiptAnswer(node) else { throw .refused(.malformed(.invalidReceipt)) }
        if let problem = VerifyReceiptProblem(status: answer.status, isRetryable: answer.isRetryable) { throw problem }
        guard answer.environment != nil || asked != nil else { throw .unknownEnvironment }
        let environment = answer.environment.map { StoreEnvironment(rawValue: $0) } ?? asked
        do throws(VerificationError) {
            let place = try ReceiptPlace(bundle: answer.bundle, environment: environment, configuration: configuration)
            guard let asOf = answer.requestedAt else { throw .malformed(.invalidReceipt) }
            guard asOf <= now + SignatureChecker.tolerance else { throw .untrusted(.signedInFuture) }
            let statement = ReceiptStatement(
                source: .verifyReceipt,
                place: place,
                signedAt: asOf,
                catalog: configuration.catalog,
                renewals: answer.renewals,
                body: body
            )
            return try statement.events(answer.purchases)
        } catch {
            throw .refused(error)
        }
    }
}

internal import AppleStore
internal import Concurrency
internal import Domain
internal import Encoding
internal import StoreInterface

/// A transaction that StoreKit gave an app:
/// `{"signedTransaction", "signedRenewalInfo"?, "stream"?, "user"?, "order"?, "finish"?}`, parsed strictly.
struct TransactionBody: PostedPurchase {
    static let provider = Provider.apple
    static let asksStore = false
    static let refusal: StaticString = "transaction refused"

    var signedTransaction: String
    var signedRenewalInfo: String?
    var claimant: Claimant
    var order: OrderToken?
    var finish: Bool

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        guard let transaction = node["signedTransaction"] else {
            throw RefusedBody("missing_signed_transaction", message: "Send {\"signedTransaction\":JWS}.")
        }
        guard let text = transaction.text else { throw RefusedBody.mistyped("signedTransaction", expected: "a string") }
        signedTransaction = text
        signedRenewalInfo = try RefusedBody.string("signedRenewalInfo", of: node)
        claimant = try Claimant(of: node)
        order = try RefusedBody.order(of: node)
        switch node["finish"] {
        case nil, .null: finish = false
        case .boolean(let value): finish = value
        default: throw RefusedBody.mistyped("finish", expected: "true or false")
        }
    }

    static func reader(_ services: Services) -> (@Sendable (TransactionBody) throws(VerificationError) -> Event)? {
        guard let verifier = services.apple?.transactions else { return nil }
        return { [clock = services.clock] body throws(VerificationError) in
            var event = try verifier.verify(
                transaction: body.signedTransaction,
                renewalInfo: body.signedRenewalInfo,
                now: clock.now()
            )
            if body.finish, let job = Job(finishing: event) { event.jobs.append(job) }
            return event
        }
    }
}

extension Job {
    fileprivate init?(finishing event: Event) {
        guard let transaction = event.observation?.transaction else { return nil }
        self.init(
            kind: .finish,
            provider: event.provider,
            environment: event.environment,
            app: event.app,
            subject: transaction.id
        )
    }
}

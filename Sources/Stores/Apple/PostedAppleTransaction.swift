import APIModel
public import Domain
import Encoding

/// `POST /transactions/apple`: a transaction that StoreKit gave an app, and what it says of the next period,
/// `{"signedTransaction", "signedRenewalInfo"?, "finish"?}`. Apple's signatures prove both.
struct PostedAppleTransaction: PostedPurchase {
    static let refusal: StaticString = "transaction refused"

    static func asks(_ store: OpenAppleStore) -> Bool { false }

    private let signedTransaction: String
    private let signedRenewalInfo: String?
    private let finish: Bool

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        guard let transaction = body["signedTransaction"] else {
            throw RefusedBody("missing_signed_transaction", message: "Send {\"signedTransaction\":JWS}.")
        }
        guard let text = transaction.text else { throw RefusedBody.mistyped("signedTransaction", expected: "a string") }
        signedTransaction = text
        signedRenewalInfo = try RefusedBody.string("signedRenewalInfo", of: body)
        finish = try RefusedBody.flag("finish", of: body)
    }

    func read(with store: OpenAppleStore, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        do throws(VerificationError) {
            var event = try store.apple.verify(transaction: signedTransaction, renewalInfo: signedRenewalInfo, now: now)
            if finish, let id = event.observation?.transaction?.id {
                let (place, app) = (event.environment, event.app)
                event.jobs = [Job(kind: .finish, provider: .apple, environment: place, app: app, subject: id)]
            }
            return PurchaseReading(source: .receipt, events: [event])
        } catch {
            throw .unproven(error)
        }
    }
}

extension AppleVerifier {
    /// Verifies a transaction that an app posted. The event's body holds the signed texts only, not the request's key.
    public func verify(transaction: String, renewalInfo: String?, now: Instant) throws(VerificationError) -> Event {
        let renewal = renewalInfo.map { #","signedRenewalInfo":\#(JSONLiteral.literal($0))"# } ?? ""
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(transaction))\#(renewal)}"#
        return try verifier(ofPosted: transaction)
            .verify(transaction: transaction, renewalInfo: renewalInfo, body: Array(body.utf8), now: now)
    }
}

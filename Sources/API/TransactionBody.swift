internal import Domain
internal import Encoding

/// `{"signedTransaction", "signedRenewalInfo"?, "stream"?, "user"?, "order"?, "finish"?}`, parsed strictly.
struct TransactionBody {
    var signedTransaction: String
    var signedRenewalInfo: String?
    var claimant: Claimant
    /// The claimant's order, for a purchase that carries no token of its own (an offer code).
    var order: OrderToken?
    var finish: Bool

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        guard let transaction = node["signedTransaction"] else {
            throw RefusedBody("missing_signed_transaction", "Send {\"signedTransaction\":JWS}.")
        }
        guard let text = transaction.text else { throw RefusedBody.mistyped("signedTransaction", "a string") }
        signedTransaction = text
        signedRenewalInfo = try RefusedBody.string("signedRenewalInfo", of: node)
        claimant = try Claimant(of: node)
        order = try RefusedBody.order(of: node)
        switch node["finish"] {
        case nil, .null: finish = false
        case .boolean(let value): finish = value
        default: throw RefusedBody.mistyped("finish", "true or false")
        }
    }
}

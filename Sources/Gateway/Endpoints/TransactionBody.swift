internal import Domain
internal import JSONText

/// `{"signedTransaction", "signedRenewalInfo"?, "stream"?, "user"?, "order"?, "finish"?}`, read strictly.
struct TransactionBody {
    var signedTransaction: String
    var signedRenewalInfo: String?
    var claimant: Claimant
    /// For a purchase that carries no token of its own (an offer code): the claimant's order.
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

/// Why a body that an app posted is not taken.
struct RefusedBody: Error {
    var response: Response

    init(_ code: String, _ message: String, status: Int = 400) {
        response = .error(status, code, message)
    }

    init(response: Response) {
        self.response = response
    }

    static func mistyped(_ member: String, _ type: String) -> RefusedBody {
        RefusedBody("invalid_json", "\(member) must be \(type).")
    }

    static func object(_ bytes: [UInt8]) throws(RefusedBody) -> JSONNode {
        do throws(JSONObjectError) {
            return try JSONNode.object(strictly: bytes)
        } catch {
            switch error {
            case .notAnObject: throw RefusedBody("invalid_json", "The body is not a JSON object.")
            case .repeatedMember:
                throw RefusedBody("duplicate_member", "A member of the JSON stands there twice.")
            }
        }
    }

    /// Absent and null are the same.
    static func string(_ member: String, of node: JSONNode) throws(RefusedBody) -> String? {
        guard let value = node[member], value != .null else { return nil }
        guard let text = value.text else { throw mistyped(member, "a string") }
        return text
    }

    static func order(of node: JSONNode) throws(RefusedBody) -> OrderToken? {
        guard let text = try string("order", of: node) else { return nil }
        guard let order = OrderToken(text) else { throw mistyped("order", "a UUID") }
        return order
    }

    static func user(of node: JSONNode) throws(RefusedBody) -> UserID? {
        guard let user = try string("user", of: node) else { return nil }
        guard isPlain(user) else {
            throw RefusedBody("invalid_user", "user must have 1 to 255 bytes and no control characters.")
        }
        return UserID(user)
    }
}

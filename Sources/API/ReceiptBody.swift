internal import Domain
internal import Encoding

/// `{"receipt": base64, "user"?}` or `{"verifyReceipt": {…}, "user"?, "environment"?}`, parsed strictly.
struct ReceiptBody {
    enum Content {
        case receipt([UInt8])
        case answer(JSONNode, StoreEnvironment?)
    }

    var content: Content
    var user: UserID?

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        user = try RefusedBody.user(of: node)
        switch (try RefusedBody.string("receipt", of: node), node["verifyReceipt"]) {
        case (let text?, nil): content = .receipt(try ReceiptBody.receipt(text))
        case (nil, let answer?) where answer.isObject:
            content = .answer(answer, try ReceiptBody.environment(of: node))
        case (nil, .some): throw RefusedBody.mistyped("verifyReceipt", expected: "Apple's answer, a JSON object")
        case (nil, nil), (.some, .some):
            throw RefusedBody("missing_receipt", message: "Send {\"receipt\":BASE64} or {\"verifyReceipt\":ANSWER}.")
        }
    }

    /// Apps wrap the lines of their Base64, so line breaks are removed.
    private static func receipt(_ text: String) throws(RefusedBody) -> [UInt8] {
        guard let bytes = Base64.decode(text.utf8.filter { $0 != 13 && $0 != 10 }), !bytes.isEmpty else {
            throw RefusedBody("invalid_receipt", message: "receipt must be the Base64 of an App Store receipt.")
        }
        return bytes
    }

    private static func environment(of node: JSONNode) throws(RefusedBody) -> StoreEnvironment? {
        guard let name = try RefusedBody.string("environment", of: node) else { return nil }
        guard let environment = StoreEnvironment(rawValue: name) else {
            throw RefusedBody("invalid_environment", message: "environment must be Production or Sandbox.")
        }
        return environment
    }
}

public import Domain
public import Encoding

/// Why a JSON body is rejected, and how each member is read: strictly, for every sender.
public struct RefusedBody: Error {
    public let code: String
    /// One sentence that says what to send.
    public let message: String
    /// The status of the answer.
    public let status: Int

    public init(_ code: String, message: String, status: Int = 400) {
        self.code = code
        self.message = message
        self.status = status
    }

    public static func mistyped(_ member: String, expected type: String) -> RefusedBody {
        RefusedBody("invalid_json", message: "\(member) must be \(type).")
    }

    public static let locale = RefusedBody(
        "invalid_locale",
        message: "locale must be a language tag such as de, pt-BR or zh-Hant-TW."
    )

    public static let timeZone = RefusedBody(
        "invalid_time_zone",
        message: "time_zone must be a name of the tz database such as Europe/Berlin, America/New_York or UTC."
    )

    public static let repeatedMember = RefusedBody(
        "duplicate_member",
        message: "The JSON has two members with the same name."
    )

    /// `instead` says what to send.
    public static func object(
        _ bytes: [UInt8],
        instead: @autoclosure () -> String = "The body is not a JSON object."
    ) throws(RefusedBody) -> JSONNode {
        do throws(JSONObjectError) {
            return try JSONNode.object(strictly: bytes)
        } catch {
            throw error == .repeatedMember ? repeatedMember : RefusedBody("invalid_json", message: instead())
        }
    }

    /// An absent member and null mean the same.
    public static func string(_ member: String, of node: JSONNode) throws(RefusedBody) -> String? {
        guard let value = node[member], value != .null else { return nil }
        guard let text = value.text else { throw mistyped(member, expected: "a string") }
        return text
    }

    public static func requiredString(_ member: String, of node: JSONNode) throws(RefusedBody) -> String {
        guard let text = try string(member, of: node) else { throw mistyped(member, expected: "a string") }
        return text
    }

    /// An absent member and null mean the same.
    public static func strings(_ member: String, of node: JSONNode) throws(RefusedBody) -> [String]? {
        guard let value = node[member], value != .null else { return nil }
        guard case .array(let items) = value else { throw mistyped(member, expected: "an array of strings") }
        let texts = items.compactMap(\.text)
        guard texts.count == items.count else { throw mistyped(member, expected: "an array of strings") }
        return texts
    }

    /// An absent member and null mean false.
    public static func flag(_ member: String, of node: JSONNode) throws(RefusedBody) -> Bool {
        switch node[member] {
        case nil, .null: return false
        case .boolean(let value): return value
        default: throw mistyped(member, expected: "true or false")
        }
    }

    public static func order(of node: JSONNode) throws(RefusedBody) -> OrderToken? {
        guard let text = try string("order", of: node) else { return nil }
        guard let order = OrderToken(text) else { throw mistyped("order", expected: "a UUID") }
        return order
    }

    public static func user(of node: JSONNode) throws(RefusedBody) -> UserID? {
        guard let user = try string("user", of: node) else { return nil }
        try check(user, or: invalidUser)
        return UserID(user)
    }

    /// Nil is as good.
    public static func check(_ text: String?, or refusal: RefusedBody) throws(RefusedBody) {
        if let text, !isValidIdentifier(text) { throw refusal }
    }

    private static let identifier = "must have 1 to 255 bytes and no control characters."
    public static let invalidUser = RefusedBody("invalid_user", message: "user \(identifier)")
    public static let invalidProduct = RefusedBody("invalid_product", message: "product \(identifier)")
    public static let invalidGroup = RefusedBody("invalid_group", message: "group \(identifier)")
}

/// The body of every refusal, whatever the route.
public struct ErrorAnswer: Codable, Sendable, Equatable {
    /// A code for programs, in `snake_case`.
    public var error: String
    /// One sentence for people, without secrets from the request.
    public var message: String

    public init(error: String, message: String) {
        self.error = error
        self.message = message
    }

    /// The bytes of `JSON.encode`, by hand: whoever floods a server with what it refuses costs it little.
    public var json: [UInt8] {
        // A newline, say in an engine's message, is escaped in another way by hand.
        guard message.utf8.allSatisfy({ $0 >= 0x20 }) else { return JSON.encode(self) }
        var writer = ObjectWriter(capacity: 160)
        writer.object { writer in
            writer.text("error", error)
            writer.text("message", message)
        }
        return writer.bytes
    }
}

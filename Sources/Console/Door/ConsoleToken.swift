import Crypto
import Domain
import Encoding
import Pages
import Support

/// What a signed text of the console says: which key opened the door, until when, and for which user alone.
///
/// It is signed with the key's own secret, so that every node knows it, also after a restart, and none does once the key
/// is gone.
struct ConsoleToken: Sendable, Equatable {
    /// What the text is for: one kind is worth nothing in the other's place.
    enum Purpose: String {
        case session = "paycast console session"
        case link = "paycast console link"
        /// What was just done to a user: the word of an action stands in the key's place.
        case done = "paycast console done"

        /// How long a token is good, in seconds: eight hours, a working day; and a minute.
        var seconds: Int64 {
            switch self {
            case .session: 28_800
            case .link, .done: 60
            }
        }
    }

    var keyName: String
    /// Random: 32 hexadecimal digits.
    var id: String
    var expiry: Instant
    /// Nil for all users.
    var user: UserID?

    init(keyName: String, expiry: Instant, user: UserID? = nil) {
        self.keyName = keyName
        id = Hex.encode(randomBytes(16))
        self.expiry = expiry
        self.user = user
    }

    /// `PAYLOAD.CODE`, both in URL-safe Base64.
    func sealed(with secret: Secret, for purpose: Purpose) -> String {
        let fields = [keyName, id, String(expiry.milliseconds)] + (user.map { [$0.text] } ?? [])
        // Neither a key's name nor a user's id has a line break.
        let payload = Base64URL.encode(Array(fields.joined(separator: "\n").utf8))
        let code = ConsoleToken.code(of: Array(payload.utf8), secret: secret, purpose: purpose)
        return payload + "." + Base64URL.encode(code)
    }

    /// The token of a text and the key that has sealed it; nil unless one of `keys` has, and it has not expired.
    static func open(
        _ text: String,
        for purpose: Purpose,
        keys: [AccessKey],
        now: Instant
    ) -> (token: ConsoleToken, key: AccessKey)? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let payload = Base64URL.decode(parts[0]), let code = Base64URL.decode(parts[1]),
            let token = ConsoleToken(payload), token.expiry > now, token.expiry <= now + .seconds(purpose.seconds)
        else { return nil }
        let signed = Array(parts[0])
        let key = keys.reduce(nil as AccessKey?) { found, key in
            let isSealed = constantTimeCompare(
                ConsoleToken.code(of: signed, secret: key.secret, purpose: purpose),
                with: code
            )
            return isSealed && key.name.hasSameBytes(as: token.keyName) ? key : found
        }
        return key.map { (token, $0) }
    }

    private init?(_ payload: [UInt8]) {
        let fields = String(decoding: payload, as: UTF8.self)
            .split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        // Whoever has a key can sign anything.
        guard (3...4).contains(fields.count), fields[1].utf8.count == 32,
            fields[1].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            let expiry = Int64(fields[2]), fields.count == 3 || isValidIdentifier(String(fields[3]))
        else { return nil }
        keyName = String(fields[0])
        id = String(fields[1])
        self.expiry = Instant(milliseconds: expiry)
        user = fields.count == 4 ? UserID(String(fields[3])) : nil
    }

    private static func code(of message: [UInt8], secret: Secret, purpose: Purpose) -> [UInt8] {
        let key = HMAC.authenticate(Array(purpose.rawValue.utf8), key: Array(secret.value.utf8))
        return HMAC.authenticate(message, key: key)
    }
}

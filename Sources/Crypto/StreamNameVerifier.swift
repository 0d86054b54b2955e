public import Domain
import Encoding
import Synchronization

/// Rails' signed stream names: signs and verifies what `turbo_stream_from` puts into a page, with the same keys.
///
/// A token is `BASE64(JSON)--HEX(HMAC-SHA256(key, BASE64))`
/// (https://github.com/rails/rails/blob/main/activesupport/lib/active_support/message_verifier.rb).
public struct StreamNameVerifier: Sendable {
    /// A secret that signs names.
    public struct Key: Sendable {
        let hmac: HMACKey

        /// Uses the text itself as the key (`PAYCAST_STREAM_KEYS`, `config.turbo.signed_stream_verifier_key`).
        public init(text: String) { hmac = HMACKey(Array(text.utf8)) }

        /// The key that a Rails app derives from its `secret_key_base`: with SHA-256 since `load_defaults` 7.0, with
        /// SHA-1 before.
        public init(secretKeyBase: String, with hash: HashFunction) {
            hmac = HMACKey(
                PBKDF2.derive(
                    from: secretKeyBase,
                    salt: "turbo/signed_stream_verifier_key",
                    iterations: 1000,
                    count: 64,
                    with: hash
                )
            )
        }
    }

    private final class Signer: Sendable {
        let index = Atomic(0)
    }

    private let keys: [Key]
    private let signer = Signer()

    /// Every key verifies; the first one signs until `sign(with:)` chooses another. Returns nil if there is no key.
    public init?(keys: [Key]) {
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    /// From now on, the key at this place signs, in all copies of this verifier.
    public func sign(with index: Int) { signer.index.store(min(max(0, index), keys.count - 1), ordering: .relaxed) }

    /// With an expiry, the name goes into Rails' `_rails` envelope, which a stock Rails checks too; and so it does `after` an
    /// ending of its user's pages, which Rails does not look at.
    public func sign(_ name: StreamName, expires: Instant? = nil, after ending: Cursor? = nil) -> String {
        let literal = JSONLiteral.literal(name.text)
        let more =
            (expires.map { #","exp":"\#($0.iso8601)""# } ?? "")
            + (ending.map { #","after":\#(JSONLiteral.literal($0.description))"# } ?? "")
        let payload = more.isEmpty ? literal : #"{"_rails":{"data":\#(literal)\#(more)}}"#
        let encoded = Base64.encode(Array(payload.utf8))
        let digest = keys[signer.index.load(ordering: .relaxed)].hmac.authenticate(Array(encoded.utf8)[...])
        return "\(encoded)--\(Hex.encode(digest))"
    }

    /// The stream that a token says it names, whoever has signed it: for people who look for the reason of a refusal, and for
    /// nothing else.
    public static func claimedStream(of token: String) -> StreamName? {
        let bytes = Array(token.utf8)
        guard bytes.count > 66, bytes.count <= limit else { return nil }
        let encoded = bytes.dropLast(66)
        return (Base64.decode(Array(encoded)) ?? Base64URL.decode(encoded)).flatMap { StreamNamePayload($0).stream }
    }

    /// Whether a token has the form of a signed name, whoever has signed it.
    public static func looksSigned(_ token: String) -> Bool {
        let bytes = Array(token.utf8)
        guard bytes.count > 66, bytes.count <= limit, bytes.dropLast(64).suffix(2).elementsEqual("--".utf8) else {
            return false
        }
        return bytes.suffix(64).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    private static let limit = 4096

    /// Parses nothing of a token before its signature matches one of the keys.
    public func verify(_ token: String, now: Instant) throws(StreamNameError) -> SignedName {
        let bytes = Array(token.utf8)
        // Split from the end, as Rails does: the encoded part may contain dashes.
        guard bytes.count > 66, bytes.count <= StreamNameVerifier.limit else { throw .forged }
        let encoded = bytes.dropLast(66)
        let digest = bytes.suffix(64)
        guard bytes[bytes.count - 66] == UInt8(ascii: "-"), bytes[bytes.count - 65] == UInt8(ascii: "-"),
            keys.contains(where: { constantTimeCompare(Hex.text($0.hmac.authenticate(encoded)), with: digest) })
        else { throw .forged }
        guard let json = Base64.decode(Array(encoded)) ?? Base64URL.decode(encoded) else { throw .notAName }
        let payload = StreamNamePayload(json)
        // Check this before the expiry, which tells a page to reload: reloading cannot cure an invalid name.
        guard let stream = payload.stream else { throw .notAName }
        guard let expiry = payload.expiry else { return SignedName(stream: stream, ending: payload.ending) }
        guard let end = Instant(iso8601: expiry) else { throw .notAName }
        guard now < end else { throw .expired }
        return SignedName(stream: stream, expires: end, ending: payload.ending)
    }
}

/// The stream that a genuine token names.
public struct SignedName: Sendable, Equatable {
    public var stream: StreamName
    /// Nil if the name never expires.
    public var expires: Instant?
    /// The last ending of its user's pages before it was signed; nil for none, and for a name of Rails'.
    public var ending: Cursor?

    public init(stream: StreamName, expires: Instant? = nil, ending: Cursor? = nil) {
        self.stream = stream
        self.expires = expires
        self.ending = ending
    }

    /// Whether it was signed before an ending of its user's pages; none is at 0. A ledger that was restored counts on from
    /// where it was, so that what another epoch's name says is of a past that never happened here.
    public func isSigned(before position: Int64, in epoch: String) -> Bool {
        let known = ending.flatMap { $0.epoch.hasSameBytes(as: epoch) ? $0.position : nil } ?? 0
        return known < position
    }
}

/// Why a token names no stream.
public enum StreamNameError: String, Error, CustomStringConvertible {
    case forged = "the stream name is not signed with one of this server's keys"
    /// Genuine: reloading the page cures it.
    case expired = "the signed stream name has expired; load the page again"
    /// Genuine: its user's pages were ended after it was signed.
    case ended = "the user's pages were ended after the stream name was signed; take a new one"
    /// Genuine too.
    case notAName = "what was signed is not the name of a stream"

    public var description: String { rawValue }
}

/// The payload of a signed token: a JSON string, or Rails' envelope around one if it has an expiry or a purpose.
struct StreamNamePayload {
    /// Nil when what was signed is no stream name.
    let stream: StreamName?
    /// As written: RFC 3339, if it is genuine.
    let expiry: String?
    let ending: Cursor?

    init(_ payload: [UInt8]) {
        // Every connection parses a token, nearly always a bare string: that needs no decoder.
        if payload.first == UInt8(ascii: "\"") {
            stream = JSONLiteral.string(payload).flatMap { StreamName($0) }
            (expiry, ending) = (nil, nil)
            return
        }
        // Rails 7.1 puts the value into `data`; older versions put it into `message`, as JSON in Base64.
        let rails = JSONNode(payload)?["_rails"]
        let members = ["data", "message", "exp", "pur"].map { (name: String) -> JSONNode in rails?[name] ?? .null }
        // Stream names are signed without a purpose, and Rails rejects a message with another purpose.
        guard members.allSatisfy({ $0.isNull || $0.text != nil }), (members[3].text ?? "").isEmpty else {
            stream = nil
            (expiry, ending) = (nil, nil)
            return
        }
        let old = members[1].text.flatMap { Base64.decode($0) }.flatMap { JSONLiteral.string($0) }
        stream = (members[0].text ?? old).flatMap { StreamName($0) }
        expiry = members[2].text
        ending = rails?["after"]?.text.flatMap { Cursor($0) }
    }
}

import APIModel
public import Crypto
public import Domain
import Encoding
import HTTP
public import Pages
import Support

/// The credentials that the server accepts: the bearer keys of the API routes, the key that signs stream names, and the
/// origins of pages.
public struct Authorization: Sendable {
    private let keys: [(secret: [UInt8], key: AccessKey)]
    let streamNames: StreamNameVerifier?
    let origins: OriginCheck

    /// Without keys, every API route answers 401. Without `streamNames`, every stream name counts as forged.
    public init(keys: [AccessKey], streamNames: StreamNameVerifier?, origins: Allowlist<String>) {
        self.keys = keys.map { (Array($0.secret.value.utf8), $0) }
        self.streamNames = streamNames
        self.origins = OriginCheck(allowed: origins)
    }

    /// Every key that opens a route.
    public var accessKeys: [AccessKey] { keys.map(\.key) }

    /// Why a request may not be answered; nil when its key has the right that its route needs.
    func refusal(of request: Request) -> RefusedBody? {
        do throws(RefusedBody) { try require(request.right, of: request) } catch { return error }
        return nil
    }

    func require(_ right: Right?, of request: Request) throws(RefusedBody) {
        guard let right, let key = key(request.credentials) else { throw Authorization.unauthorized }
        guard key.rights.contains(right) else { throw Authorization.missing(right) }
    }

    /// The key that a request presents; nil when it is not one of ours. Compares it with every key, in constant time.
    func key(_ authorization: ArraySlice<UInt8>?) -> AccessKey? {
        guard let given = authorization.flatMap(Authorization.bearer) else { return nil }
        return keys.reduce(nil) { constantTimeCompare($1.secret, with: given) ? $1.key : $0 }
    }

    /// The credentials of the scheme `Bearer`, which is compared without case (RFC 9110 §11.1).
    private static func bearer(_ authorization: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme: StaticString = "bearer "
        guard authorization.count >= scheme.utf8CodeUnitCount else { return nil }
        for (index, byte) in authorization.prefix(scheme.utf8CodeUnitCount).enumerated()
        where byte | 0x20 != scheme.utf8Start[index] { return nil }
        return authorization.dropFirst(scheme.utf8CodeUnitCount).drop { $0 == UInt8(ascii: " ") }
    }

    private static let unauthorized = RefusedBody(
        "unauthorized",
        message: "This route needs the header Authorization: Bearer KEY with a key of PAYCAST_API_KEY.",
        status: 401
    )

    private static func missing(_ right: Right) -> RefusedBody {
        let message = "The key lacks the right \(right.rawValue): PAYCAST_KEYS says what each key may do."
        return RefusedBody("missing_right", message: message, status: 403)
    }

    /// Without a key, no stream has a name that anyone could present.
    var canSign: Bool { streamNames != nil }

    static let noSigner = Response.unavailable(
        "not_configured",
        message: "This server has no key for stream names: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE.",
        retryAfter: 3600
    )

    /// The stream that a token names. Base64 has no space: a space was a plus sign that a client forgot to escape.
    func stream(named token: String, now: Instant) throws(StreamNameError) -> SignedName {
        guard let streamNames else { throw .forged }
        let bytes = token.utf8.span
        let hasSpace = offset(of: UInt8(ascii: " "), in: bytes) < bytes.count
        return try streamNames.verify(hasSpace ? token.replacing(" ", with: "+") : token, now: now)
    }
}

extension Authorization {
    /// A request from loopback may come from a proxy that does not say for whom, or from a browser that shows a page
    /// whose name its owner has pointed at this machine (DNS rebinding). Both put the name that they used into `Host`.
    func isOfThisMachine(_ request: Request) -> Bool {
        request.isLocal && request.head.host.map { HostName($0).isLoopback } ?? true
    }
}

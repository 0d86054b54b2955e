public import Crypto
internal import Domain

/// Who may do what: bearer keys of the API routes, signed stream names, origins of pages.
public struct Access: Sendable {
    public enum Origins: Sendable {
        case all
        case only(Set<String>)
    }

    private let keys: [[UInt8]]
    private let signer: StreamSigner?
    private let origins: Origins

    /// Without keys every API route answers 401; without a signer every name is forged.
    public init(keys: [String], signer: StreamSigner?, origins: Origins) {
        self.keys = keys.map { Array("Bearer \($0)".utf8) }
        self.signer = signer
        self.origins = origins
    }

    /// Compares with every key, in constant time.
    func isTrusted(_ authorization: String?) -> Bool {
        guard let authorization else { return false }
        let given = Array(authorization.utf8)
        return keys.reduce(false) { constantTimeEquals($1, given) || $0 }
    }

    static let unauthorized = Response.error(
        401,
        "unauthorized",
        "This route needs the header Authorization: Bearer KEY with a key of PAYCAST_API_KEY.",
        headers: [("WWW-Authenticate", "Bearer")]
    )

    func sign(_ stream: StreamName) -> String { signer?.sign(stream) ?? "" }

    /// The stream that a token names. Base64 has no space: where a client forgot to escape a plus sign, it was one.
    func stream(named token: String, now: Instant) throws(StreamNameError) -> SignedName {
        guard let signer else { throw .forged }
        return try signer.verify(String(token.map { $0 == " " ? "+" : $0 }), now: now)
    }

    enum OriginVerdict {
        /// The same origin, or none: no browser's cross-site request.
        case same
        case allowed(String)
        case refused
    }

    func judge(origin: String?, host: String) -> OriginVerdict {
        guard let origin else { return .same }
        if origin == "http://\(host)" || origin == "https://\(host)" { return .same }
        switch origins {
        case .all: return .allowed(origin)
        case .only(let allowed): return allowed.contains(origin) ? .allowed(origin) : .refused
        }
    }
}

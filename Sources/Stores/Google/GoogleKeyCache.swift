internal import Crypto
internal import Domain
internal import Encoding
internal import FoundationEssentials

/// Which keys are known, and when Google is asked for more: a pure decision, so that no token of a stranger decides it.
struct GoogleKeyCache {
    enum Answer {
        case known(RSAPublicKey)
        /// Known, and out of date: it is believed, and Google asked meanwhile.
        case stale(RSAPublicKey)
        /// Google has to be asked first.
        case fetch
        /// Google has no such key.
        case none
        /// Google was asked just now, and did not tell.
        case unavailable
    }

    /// Between two fetches: Google rotates once a week.
    private static let patience = Duration.seconds(60)
    /// Between two fetches while no key at all is known.
    private static let pause = Duration.seconds(5)
    /// What `max-age` is held to, in seconds.
    private static let ages = Int64(60)...86_400
    private static let limit = 32

    private var keys: [String: RSAPublicKey] = [:]
    private var freshUntil = Instant(milliseconds: .min)
    private var askedAt: Instant?
    private var hasFailed = false
    /// No fetch has ended yet, well or badly.
    private(set) var isUntried = true

    func answer(for id: String, now: Instant) -> Answer {
        let wait = keys.isEmpty ? GoogleKeyCache.pause : GoogleKeyCache.patience
        // A clock that was set back does not wait for the time before.
        let isAsked = askedAt.map { now >= $0 && now < $0 + wait } ?? false
        if let key = keys[id] { return now < freshUntil || isAsked ? .known(key) : .stale(key) }
        guard isAsked else { return .fetch }
        return hasFailed ? .unavailable : .none
    }

    /// A fetch begins. It counts as failed until it brings keys.
    mutating func isAsked(at now: Instant) {
        askedAt = now
        hasFailed = true
    }

    mutating func fetchHasEnded() {
        isUntried = false
    }

    /// False when it is no set of keys; then the old ones stay.
    mutating func take(_ body: [UInt8], cacheControl: String?, now: Instant) -> Bool {
        guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(body)) else { return false }
        var taken: [String: RSAPublicKey] = [:]
        for key in set.keys.prefix(GoogleKeyCache.limit) { taken[key.kid ?? ""] = key.publicKey }
        guard !taken.isEmpty else { return false }
        keys = taken
        hasFailed = false
        freshUntil = now + .seconds(GoogleKeyCache.age(cacheControl))
        return true
    }

    private static func age(_ cacheControl: String?) -> Int64 {
        let directives = (cacheControl ?? "").lowercased().split { $0 == "," || $0 == " " }
        let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst(8)) }
        return min(max(age ?? 3600, ages.lowerBound), ages.upperBound)
    }

    /// RFC 7517.
    private struct KeySet: Decodable {
        var keys: [Key]
    }

    private struct Key: Decodable {
        var kid: String?
        var kty: String?
        var alg: String?
        var n: String?
        var e: String?

        var publicKey: RSAPublicKey? {
            guard kid != nil, kty == "RSA", alg == nil || alg == "RS256", let n, let e,
                let modulus = Base64URL.decode(n), let exponent = Base64URL.decode(e)
            else { return nil }
            return RSAPublicKey(modulus: modulus, exponent: exponent)
        }
    }
}

internal import Crypto
internal import Domain
internal import FoundationEssentials

/// Which keys are known, and when Google is asked for more: a pure decision, so that no token of a stranger decides it.
struct GoogleKeyCache {
    /// Between two fetches for a key that is not known: Google rotates once a week.
    private static let patience = Duration.seconds(60)
    /// Between two fetches of keys that have run out while their address is down.
    private static let pause = Duration.seconds(5)
    /// What `max-age` is held to, in seconds.
    private static let ages = Int64(60)...Int64(86_400)
    private static let limit = 32

    private(set) var keys: [String: RSAPublicKey] = [:]
    private var freshUntil = Instant(milliseconds: .min)
    private var askedAt: Instant?

    func needsFetch(of id: String, now: Instant) -> Bool {
        let waits = askedAt.map { now < $0 + GoogleKeyCache.pause && now >= $0 } ?? false
        if keys.isEmpty || now >= freshUntil { return !waits }
        guard keys[id] == nil else { return false }
        return askedAt.map { now >= $0 + GoogleKeyCache.patience } ?? true
    }

    mutating func isAsked(at now: Instant) {
        askedAt = now
    }

    /// False when it is no set of keys; then the old ones stay.
    mutating func take(_ body: [UInt8], cacheControl: String?, now: Instant) -> Bool {
        guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(body)) else { return false }
        var taken: [String: RSAPublicKey] = [:]
        for key in set.keys.prefix(GoogleKeyCache.limit) { taken[key.kid ?? ""] = key.publicKey }
        guard !taken.isEmpty else { return false }
        keys = taken
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

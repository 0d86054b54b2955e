internal import Crypto
internal import Domain
internal import Encoding

/// The known keys, and when to ask Google for more: a pure decision, with pauses that no stranger's token can bypass.
struct GoogleKeyCache {
    enum Answer {
        case known(RSAPublicKey)
        /// Known but out of date: trust it, and ask Google meanwhile.
        case stale(RSAPublicKey)
        /// Ask Google first.
        case fetch
        /// Google has no such key.
        case none
        /// Google was asked just now and did not answer.
        case unavailable
    }

    /// The pause between two fetches: Google rotates keys once a week.
    private static let patience = Duration.seconds(60)
    /// The pause between two fetches while no key is known.
    private static let pause = Duration.seconds(5)
    /// `max-age` is clamped to this range, in seconds.
    private static let ages = Int64(60)...86_400
    private static let limit = 32

    private var keys: [String: RSAPublicKey] = [:]
    private var freshUntil = Instant(milliseconds: .min)
    private var askedAt: Instant?
    private var hasFailed = false
    /// No fetch has ended yet, successful or not.
    private(set) var isUntried = true

    func answer(for id: String, now: Instant) -> Answer {
        let wait = keys.isEmpty ? GoogleKeyCache.pause : GoogleKeyCache.patience
        // If the clock was set back, do not wait until the earlier time comes again.
        let isAsked = askedAt.map { now >= $0 && now < $0 + wait } ?? false
        if let key = keys[id] { return now < freshUntil || isAsked ? .known(key) : .stale(key) }
        guard isAsked else { return .fetch }
        return hasFailed ? .unavailable : .none
    }

    /// A fetch begins. It counts as failed until it returns keys.
    mutating func beginFetch(at now: Instant) {
        askedAt = now
        hasFailed = true
    }

    mutating func endFetch() {
        isUntried = false
    }

    /// Returns false when `body` is not a set of keys; then the old ones stay.
    mutating func take(_ body: [UInt8], cacheControl: String?, now: Instant) -> Bool {
        guard let set = try? StoreObject(body) else { return false }
        var taken: [String: RSAPublicKey] = [:]
        for key in set.objects("keys").prefix(GoogleKeyCache.limit) {
            guard let id = key.text("kid") else { continue }
            taken[id] = GoogleKeyCache.publicKey(key)
        }
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

    /// RFC 7517. Nil for a key of another kind, beside which the others still count.
    private static func publicKey(_ key: StoreObject) -> RSAPublicKey? {
        guard key.text("kty") == "RSA", !key.has("alg") || key.text("alg") == "RS256",
            let modulus = key.text("n", limit: 4096).flatMap({ Base64URL.decode($0) }),
            let exponent = key.text("e").flatMap({ Base64URL.decode($0) })
        else { return nil }
        return RSAPublicKey(modulus: modulus, exponent: exponent)
    }
}

public import Crypto
public import Domain
import Encoding
public import HTTPClient
import Support
import Synchronization

/// The keys that sign Google's tokens (https://www.googleapis.com/oauth2/v3/certs), cached as long as Google allows.
/// Any thread may use it. A caller that needs a new key blocks, and others that need one meanwhile get an error and
/// retry later, so that made-up key ids occupy one thread at most. Only the very first fetch makes every caller wait,
/// because Google pushes its whole backlog as soon as the server is back. Known keys never cause a wait.
public final class GoogleKeys: Sendable {
    /// The URL of Google's keys.
    public static let address = "https://www.googleapis.com/oauth2/v3/certs"

    private let address: @Sendable () -> String?
    private let client: HTTPClient
    private let observer: StoreCallObserver
    private let cache = Mutex(GoogleKeyCache())
    /// Locked by the caller that asks Google; the cache is not locked meanwhile.
    private let turn = Mutex<Void>(())

    /// Each fetch reads `address`, because a stand-in has no address before its server listens. `observer` hears of
    /// each fetch. A stranger can cause one, which says nothing about the API.
    public init(
        client: HTTPClient = HTTPClient(timeout: .seconds(8)),
        observer: @escaping StoreCallObserver = { _ in },
        address: @escaping @Sendable () -> String?
    ) {
        self.client = client
        self.observer = observer
        self.address = address
    }

    /// Returns nil if Google has no such key; throws if that cannot be known.
    public func key(_ id: String, now: Instant) throws(StoreAPIError) -> RSAPublicKey? {
        switch answer(for: id, now: now) {
        case .known(let key): return key
        case .stale(let key):
            refresh(now)
            return key
        case .none: return nil
        case .fetch, .unavailable: break
        }
        if isUntried {
            return try turn.withLock { _ throws(StoreAPIError) in
                try isUntried ? fetchedKey(id, now: now) : cachedKey(id, now: now)
            }
        }
        let answer = try turn.withLockIfAvailable { _ throws(StoreAPIError) in try fetchedKey(id, now: now) }
        guard let answer else { throw .unavailable(reason: "its keys are being fetched") }
        return answer
    }

    /// Looks in the cache first, because the previous holder of the lock may have fetched the key.
    private func fetchedKey(_ id: String, now: Instant) throws(StoreAPIError) -> RSAPublicKey? {
        guard case .fetch = answer(for: id, now: now) else { return try cachedKey(id, now: now) }
        try fetch(now)
        guard case .known(let key) = answer(for: id, now: now) else { return nil }
        return key
    }

    /// Looks in the cache only.
    private func cachedKey(_ id: String, now: Instant) throws(StoreAPIError) -> RSAPublicKey? {
        switch answer(for: id, now: now) {
        case .known(let key), .stale(let key): return key
        case .none: return nil
        case .fetch, .unavailable: throw .unavailable(reason: "the address of its keys did not answer just now")
        }
    }

    private var isUntried: Bool { cache.withLock { $0.isUntried } }

    private func answer(for id: String, now: Instant) -> GoogleKeyCache.Answer {
        cache.withLock { $0.answer(for: id, now: now) }
    }

    /// Fetches in the background, at most once a minute. Old keys serve until then: Google goes on signing with them
    /// for days.
    private func refresh(_ now: Instant) {
        cache.withLock { $0.beginFetch(at: now) }
        // A fetch takes seconds and has a timeout, so this thread ends by itself.
        WorkerThread.detach(name: "google-keys") { [self] in turn.withLock { _ in try? fetch(now) } }
    }

    private func fetch(_ now: Instant) throws(StoreAPIError) {
        cache.withLock { $0.beginFetch(at: now) }
        defer { cache.withLock { $0.endFetch() } }
        do throws(StoreAPIError) {
            try request(now)
            observer(nil)
        } catch {
            observer(error)
            throw error
        }
    }

    private func request(_ now: Instant) throws(StoreAPIError) {
        guard let address = address() else { throw .unavailable(reason: "the address of its keys is not known yet") }
        let response = try client.ask("GET", at: address)
        guard response.status == 200 else {
            throw .unavailable(reason: "the address of its keys answered \(response.status)")
        }
        let control = response.header("Cache-Control")
        guard cache.withLock({ $0.take(response.body, cacheControl: control, now: now) }) else {
            // Nobody has proven to be Google yet: this is no answer about a delivery, and the next fetch may get one.
            throw .unavailable(reason: "the address of its keys did not answer with a JSON Web Key Set")
        }
    }
}

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

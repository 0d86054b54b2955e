public import Crypto
public import Domain
public import HTTPClient
internal import Support
internal import Synchronization

/// The keys that sign Google's tokens (https://www.googleapis.com/oauth2/v3/certs), cached as long as Google allows.
/// Any thread may use it. A caller that needs a new key blocks, and others that need one meanwhile get an error and
/// retry later, so that made-up key ids occupy one thread at most. Only the very first fetch makes every caller wait,
/// because Google pushes its whole backlog as soon as the server is back. Known keys never cause a wait.
public final class GoogleKeys: Sendable {
    /// The URL of Google's keys.
    public static let address = "https://www.googleapis.com/oauth2/v3/certs"

    private let address: @Sendable () -> String?
    private let client: HTTPClient
    private let cache = Mutex(GoogleKeyCache())
    /// Locked by the caller that asks Google; the cache is not locked meanwhile.
    private let turn = Mutex<Void>(())

    /// Each fetch reads `address`, because a stand-in has no address before its server listens.
    public init(client: HTTPClient = HTTPClient(timeout: .seconds(8)), address: @escaping @Sendable () -> String?) {
        self.client = client
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
            return try turn.withLock { _ in isUntried ? fetchedKey(id, now: now) : cachedKey(id, now: now) }.get()
        }
        let answer = turn.withLockIfAvailable { _ in fetchedKey(id, now: now) }
        guard let answer else { throw .unavailable(reason: "its keys are being fetched") }
        return try answer.get()
    }

    /// Looks in the cache first, because the previous holder of the lock may have fetched the key.
    private func fetchedKey(_ id: String, now: Instant) -> Result<RSAPublicKey?, StoreAPIError> {
        Result { () throws(StoreAPIError) in
            guard case .fetch = answer(for: id, now: now) else { return try cachedKey(id, now: now).get() }
            try fetch(now)
            guard case .known(let key) = answer(for: id, now: now) else { return nil }
            return key
        }
    }

    /// Looks in the cache only.
    private func cachedKey(_ id: String, now: Instant) -> Result<RSAPublicKey?, StoreAPIError> {
        switch answer(for: id, now: now) {
        case .known(let key), .stale(let key): .success(key)
        case .none: .success(nil)
        case .fetch, .unavailable: .failure(.unavailable(reason: "the address of its keys did not answer just now"))
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
        guard let address = address() else { throw .unavailable(reason: "the address of its keys is not known yet") }
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("GET", to: address)
        } catch {
            throw .unavailable(reason: error.description)
        }
        guard response.status == 200 else {
            throw .unavailable(reason: "the address of its keys answered \(response.status)")
        }
        let control = response.header("Cache-Control")
        guard cache.withLock({ $0.take(response.body, cacheControl: control, now: now) }) else {
            throw .unreadable(reason: "the address of its keys did not answer with a JSON Web Key Set")
        }
    }
}

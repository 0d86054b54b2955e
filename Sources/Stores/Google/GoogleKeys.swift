internal import Concurrency
public import Crypto
public import Domain
public import HTTPClient
public import StoreInterface
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
        switch ask(id, now) {
        case .known(let key): return key
        case .stale(let key):
            refresh(now)
            return key
        case .none: return nil
        case .fetch, .unavailable: break
        }
        if isUntried { return try turn.withLock { _ in isUntried ? asked(id, now) : looked(id, now) }.get() }
        let answer = turn.withLockIfAvailable { _ in asked(id, now) }
        guard let answer else { throw .unavailable(reason: "its keys are being asked for") }
        return try answer.get()
    }

    /// Looks in the cache first, because the previous holder of the lock may have fetched the key.
    private func asked(_ id: String, _ now: Instant) -> Result<RSAPublicKey?, StoreAPIError> {
        Result { () throws(StoreAPIError) in
            guard case .fetch = ask(id, now) else { return try looked(id, now).get() }
            try fetch(now)
            guard case .known(let key) = ask(id, now) else { return nil }
            return key
        }
    }

    /// Looks in the cache only.
    private func looked(_ id: String, _ now: Instant) -> Result<RSAPublicKey?, StoreAPIError> {
        switch ask(id, now) {
        case .known(let key), .stale(let key): .success(key)
        case .none: .success(nil)
        case .fetch, .unavailable: .failure(.unavailable(reason: "its keys' address has just not answered"))
        }
    }

    private var isUntried: Bool { cache.withLock { $0.isUntried } }

    private func ask(_ id: String, _ now: Instant) -> GoogleKeyCache.Answer {
        cache.withLock { $0.answer(for: id, now: now) }
    }

    /// Fetches in the background, at most once a minute. Old keys serve until then: Google goes on signing with them
    /// for days.
    private func refresh(_ now: Instant) {
        cache.withLock { $0.isAsked(at: now) }
        // A fetch takes seconds and has a timeout, so this thread ends by itself.
        WorkerThread.detach(name: "google-keys") { [self] in turn.withLock { _ in try? fetch(now) } }
    }

    private func fetch(_ now: Instant) throws(StoreAPIError) {
        cache.withLock { $0.isAsked(at: now) }
        defer { cache.withLock { $0.fetchHasEnded() } }
        guard let address = address() else { throw .unavailable(reason: "its keys' address is not known yet") }
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("GET", address)
        } catch {
            throw .unavailable(reason: error.description)
        }
        guard response.status == 200 else {
            throw .unavailable(reason: "its keys' address answered \(response.status)")
        }
        let control = response.header("Cache-Control")
        guard cache.withLock({ $0.take(response.body, cacheControl: control, now: now) }) else {
            throw .unreadable(reason: "its keys' address answered no JSON Web Key Set")
        }
    }
}

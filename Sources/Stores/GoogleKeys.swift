public import Crypto
public import Domain
public import HTTPClient
internal import Synchronization

/// The keys that sign Google's tokens (https://www.googleapis.com/oauth2/v3/certs), kept as long as Google says. Any
/// thread may ask; one that needs a fetch blocks, and so do those that come meanwhile: the answer serves all.
public final class GoogleKeys: Sendable {
    private let address: @Sendable () -> String?
    private let client: HTTPClient
    private let cache = Mutex(GoogleKeyCache())

    /// `address` is asked at every fetch: a stand-in's is not known before its server listens.
    public init(client: HTTPClient = HTTPClient(timeout: .seconds(8)), address: @escaping @Sendable () -> String?) {
        self.client = client
        self.address = address
    }

    /// Nil: Google has no such key. Throws when that cannot be known.
    public func key(_ id: String, now: Instant) throws(StoreAPIError) -> RSAPublicKey? {
        try cache.withLock { cache throws(StoreAPIError) in
            guard cache.needsFetch(of: id, now: now) else { return cache.keys[id] }
            cache.isAsked(at: now)
            do throws(StoreAPIError) {
                try fetch(into: &cache, now)
            } catch {
                // Keys outlive what Google says of them by days: an outage of that address is no reason to refuse.
                guard !cache.keys.isEmpty else { throw error }
            }
            return cache.keys[id]
        }
    }

    private func fetch(into cache: inout GoogleKeyCache, _ now: Instant) throws(StoreAPIError) {
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
        guard cache.take(response.body, cacheControl: response.header("Cache-Control"), now: now) else {
            throw .unreadable(reason: "its keys' address answered no JSON Web Key Set")
        }
    }
}

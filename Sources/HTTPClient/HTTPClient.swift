import CCurl
import Synchronization

/// Blocking HTTP over libcurl. It reuses connections, follows no redirects and keeps no cookies. An answer is never an
/// error, whatever its status.
public struct HTTPClient: Sendable {
    public struct Response: Sendable {
        public let status: Int
        /// In the order in which they arrived.
        public let headers: [(name: String, value: String)]
        /// 16 MiB at most. Empty in the head of a stream.
        public internal(set) var body: [UInt8]
        public let isHTTP2: Bool

        /// The first header with that name; case does not matter.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// What comes of a stream.
    public enum Event {
        case head(Response)
        case bytes(UnsafeRawBufferPointer)
        /// About once a second.
        case tick
    }

    let timeout: Duration
    let authorityFile: String?
    let isHTTP1Only: Bool
    private let observer: @Sendable (Response) -> Void
    let handles = IdleHandles()

    /// `timeout` limits a whole `send`, but only the connecting of a `stream`. `authorityFile`, in PEM, replaces the
    /// authorities that this machine trusts, which are its own, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
    /// `observer` gets the head of every answer to a `send`.
    public init(
        timeout: Duration,
        authorityFile: String? = nil,
        isHTTP1Only: Bool = false,
        observer: @escaping @Sendable (Response) -> Void = { _ in }
    ) {
        self.observer = observer
        self.timeout = timeout
        self.authorityFile = authorityFile
        self.isHTTP1Only = isHTTP1Only
    }

    /// Sends one request and waits for the whole answer, or for as much of its body as `limit` says: then the rest is not
    /// waited for.
    public func send(
        _ method: String,
        to url: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil,
        cuttingBodyAt limit: Int? = nil
    ) throws(HTTPClientError) -> Response {
        try send(method, to: RequestURL(url), headers: headers, body: body, cuttingBodyAt: limit)
    }

    /// For an address that is asked again and again.
    public func send(
        _ method: String,
        to target: RequestURL,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil,
        cuttingBodyAt limit: Int? = nil
    ) throws(HTTPClientError) -> Response {
        let transfer = try CurlRequest(method, target, headers: headers, body: body, totalTimeout: timeout, of: self)
        var response = ReceivedHead().response
        var isTooLarge = false
        try transfer.perform { event in
            switch event {
            case .head(let head):
                response = head
                observer(head)
            case .bytes(let bytes):
                if let limit {
                    response.body.append(contentsOf: bytes.prefix(limit - response.body.count))
                    return response.body.count < limit
                }
                isTooLarge = response.body.count + bytes.count > bodyLimit
                if !isTooLarge { response.body.append(contentsOf: bytes) }
            case .tick: break
            }
            return !isTooLarge
        }
        if isTooLarge { throw .tooLarge(target.origin) }
        return response
    }

    /// GETs an endless answer, such as Server-Sent Events. Calls `handle`, on this thread, with whatever happens. Returns
    /// when that returns false or the server has ended the stream.
    ///
    /// Throws `silent` after 45 s without a byte: three heartbeats of the server.
    public func stream(
        _ url: String,
        headers: [(String, String)],
        _ handle: (Event) -> Bool
    ) throws(HTTPClientError) {
        try CurlRequest("GET", RequestURL(url), headers: headers, of: self)
            .perform(silenceLimit: .seconds(45), handle)
    }
}

private let bodyLimit = 16 << 20

/// The version of the libcurl that is loaded, for `paycast version`.
public let libcurlVersion: String = {
    let words = String(cString: curl_version()).split(separator: " ")
    return words.first.map { String($0.dropFirst("libcurl/".count)) } ?? "unknown"
}()

/// libcurl handles that no request is using. A handle keeps its connections and TLS sessions, so a client that calls
/// one store again and again needs only one handshake. One thread at a time uses a handle.
final class IdleHandles: Sendable {
    /// The number of threads that wait for stores (8, not counting `--loops`).
    private static let limit = 8

    /// Addresses of handles, the one used last at the end.
    private let addresses = Mutex<[UInt]>([])

    /// Returns nil when libcurl does not start.
    func take() -> UnsafeMutableRawPointer? {
        guard curlIsReady else { return nil }
        let address = addresses.withLock { $0.popLast() }
        return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? curl_easy_init()
    }

    /// Resets all options of the handle; its connections stay.
    func put(_ handle: UnsafeMutableRawPointer) {
        curl_easy_reset(handle)
        let address = UInt(bitPattern: handle)
        let isKept = addresses.withLock { addresses in
            guard addresses.count < IdleHandles.limit else { return false }
            addresses.append(address)
            return true
        }
        if !isKept { curl_easy_cleanup(handle) }
    }

    deinit {
        for address in addresses.withLock({ $0 }) {
            UnsafeMutableRawPointer(bitPattern: address).map { curl_easy_cleanup($0) }
        }
    }
}

/// Initializes libcurl once for the process; nothing else here uses it.
let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

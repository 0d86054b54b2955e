internal import CCurl
internal import Synchronization

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
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

internal import CCurl
internal import Synchronization

/// libcurl's handles between two requests. A handle keeps its connections and TLS sessions, so that a client which asks
/// one store again and again greets it once. One thread at a time uses a handle.
final class IdleHandles: Sendable {
    /// As many as there are threads that wait for stores (`--loops` apart, 8).
    private static let limit = 8

    /// Addresses of handles, the last used one last.
    private let addresses = Mutex<[UInt]>([])

    /// Nil when libcurl does not start.
    func take() -> UnsafeMutableRawPointer? {
        guard curlIsReady else { return nil }
        let address = addresses.withLock { $0.popLast() }
        return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? curl_easy_init()
    }

    /// All that was asked of it is forgotten, its connections apart.
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

/// Once for the process; nothing else here uses libcurl.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

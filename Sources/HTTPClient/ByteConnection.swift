import CCurl
import Glibc

/// A connection to a server of another protocol: over TCP, TLS or a Unix socket. libcurl makes it, because it tries all
/// addresses of a name within a time limit and verifies certificates. Confined to one thread.
public final class ByteConnection {
    public enum Place: Sendable, Equatable {
        /// An IPv6 address has no brackets. Over TLS if there is a `peer`.
        case tcp(host: String, port: Int, peer: Peer?)
        case unix(path: String)
    }

    /// Who may answer over TLS.
    public enum Peer: Sendable {
        /// Whoever has a certificate for the name, of an authority that this machine trusts.
        case verified
        /// Anyone: what is sent is encrypted, to nobody knows whom.
        case anyone
    }

    private let handle: UnsafeMutableRawPointer
    /// For `poll(2)`.
    public let descriptor: Int32

    /// Waits until the connection is open, for `timeout` at most.
    public init(to place: Place, timeout: Duration) throws(ByteConnectionError) {
        guard curlIsReady, let handle = curl_easy_init() else { throw .failed("libcurl does not start") }
        prepare(handle, for: place, timeout: timeout)
        let code = curl_easy_perform(handle)
        descriptor = paycast_curl_socket(handle)
        self.handle = handle
        // From here on, `deinit` runs.
        guard code == CURLE_OK else { throw ByteConnectionError(code, of: handle) }
        guard descriptor >= 0 else { throw .closed }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// Returns how many bytes were taken: 0 when the socket takes no more for now.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(ByteConnectionError) -> Int {
        var count = 0
        let code = curl_easy_send(handle, bytes.baseAddress, bytes.count, &count)
        if code == CURLE_AGAIN { return 0 }
        guard code == CURLE_OK else { throw .closed }
        return count
    }

    /// Returns how many bytes came, or nil when there are none for now. Over TLS some may be left although the descriptor is
    /// not readable, so read until there are none.
    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(ByteConnectionError) -> Int? {
        var count = 0
        let code = curl_easy_recv(handle, buffer.baseAddress, buffer.count, &count)
        if code == CURLE_AGAIN { return nil }
        guard code == CURLE_OK, count > 0 else { throw .closed }
        return count
    }
}

/// Why there is no connection, or none any more. Names nothing of the other side.
public enum ByteConnectionError: Error, Equatable {
    /// In the system's words.
    case unreachable(String)
    case unknownHost
    case timedOut
    case certificate(CertificateFlaw)
    /// The file that `SSL_CERT_FILE` names, or the system's, cannot be read.
    case noAuthorities
    /// What answers speaks no TLS that we speak.
    case noTLS
    case closed
    /// Anything else, in libcurl's words.
    case failed(String)

    fileprivate init(_ code: CURLcode, of handle: UnsafeMutableRawPointer) {
        self =
            switch code {
            case CURLE_COULDNT_CONNECT: .unreachable(String(cString: strerror(paycast_curl_errno(handle))))
            case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .certificate(flaw(paycast_curl_verification(handle)))
            case CURLE_SSL_CACERT_BADFILE: .noAuthorities
            case CURLE_SSL_CONNECT_ERROR: .noTLS
            default: .failed(String(cString: curl_easy_strerror(code)))
            }
    }
}

/// libcurl compares the name by itself, before it asks for OpenSSL's verdict: until then it is 1.
private func flaw(_ verdict: Int) -> CertificateFlaw {
    verdict > 1 ? CertificateFlaw(verdict, words: "OpenSSL's verdict is \(verdict) (openssl-verify(1))") : .otherName
}

private func prepare(_ handle: UnsafeMutableRawPointer, for place: ByteConnection.Place, timeout: Duration) {
    func set(_ option: CURLoption, _ text: String) {
        _ = text.withCString { paycast_curl_set_pointer(handle, option, $0) }
    }
    func set(_ option: CURLoption, _ number: Int) { _ = paycast_curl_set_number(handle, option, number) }

    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROXY, "")
    set(CURLOPT_SSL_ENABLE_ALPN, 0)
    set(CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds)
    if let file = namedAuthorities.file { set(CURLOPT_CAINFO, file) }
    if let folder = namedAuthorities.folder { set(CURLOPT_CAPATH, folder) }
    switch place {
    case .unix(let path):
        set(CURLOPT_URL, "http://localhost/")
        set(CURLOPT_UNIX_SOCKET_PATH, path)
    case .tcp(let host, let port, let peer):
        let name = host.contains(":") ? "[\(host)]" : host
        set(CURLOPT_URL, "\(peer == nil ? "http" : "https")://\(name):\(port)/")
        guard peer == .anyone else { return }
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
    }
}

internal import CCurl

/// Blocking HTTP over libcurl. It reuses connections, follows no redirects and keeps no cookies. An answer is never an
/// error, whatever its status.
public struct HTTPClient: Sendable {
    public struct Response: Sendable {
        public let status: Int
        /// In the order in which they arrived.
        public let headers: [(name: String, value: String)]
        /// 16 MiB at most.
        public let body: [UInt8]

        /// The first header with that name; case does not matter.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    private let timeout: Duration
    private let handles = IdleHandles()

    /// `timeout` limits a whole `send`, but only the connecting of a `stream`.
    public init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Sends one request and waits for the whole answer.
    public func send(
        _ method: String,
        to url: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) throws(HTTPClientError) -> Response {
        let target = try RequestURL(url)
        var transfer = try CurlRequest(target, headers: headers, connectTimeout: timeout, with: handles)
        try transfer.prepare(method, body: body, totalTimeout: timeout)
        var response = ReceivedHead()
        var received: [UInt8] = []
        var isTooLarge = false
        try transfer.perform { head in
            response = head
            return true
        } onBytes: { bytes in
            isTooLarge = received.count + bytes.count > bodyLimit
            if !isTooLarge { received.append(contentsOf: bytes) }
            return !isTooLarge
        }
        if isTooLarge { throw .tooLarge(target.origin) }
        return Response(status: response.status, headers: response.headers, body: received)
    }

    /// GETs an endless answer, such as Server-Sent Events. Calls `onResponse` with the status, `onBytes` with what
    /// arrives, and `onTick` about once a second, all on this thread; each ends the stream by returning false. Returns
    /// when one of them or the server has ended the stream.
    ///
    /// Throws `silent` after 45 s without a byte: three heartbeats of the server.
    public func stream(
        _ url: String,
        headers: [(String, String)],
        onResponse: (Int) -> Bool,
        onBytes: (UnsafeRawBufferPointer) -> Bool,
        onTick: () -> Bool = { true }
    ) throws(HTTPClientError) {
        var transfer = try CurlRequest(RequestURL(url), headers: headers, connectTimeout: timeout, with: handles)
        try transfer.prepare("GET", body: nil)
        try transfer.perform(
            silenceLimit: .seconds(45),
            onHead: { onResponse($0.status) },
            onBytes: onBytes,
            onTick: onTick
        )
    }
}

private let bodyLimit = 16 << 20

/// The version of the libcurl that is loaded, for `paycast version`.
public let libcurlVersion: String = {
    let words = String(cString: curl_version()).split(separator: " ")
    return words.first.map { String($0.dropFirst("libcurl/".count)) } ?? "unknown"
}()

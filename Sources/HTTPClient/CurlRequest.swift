import CCurl
import Glibc

/// One request on one of libcurl's easy handles.
struct CurlRequest: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let handles: IdleHandles
    private let target: RequestURL
    private let authorityFile: String?
    private var headers: UnsafeMutablePointer<curl_slist>?

    /// Without `totalTimeout`, only the connecting is limited.
    init(
        _ method: String,
        _ target: RequestURL,
        headers: [(String, String)],
        body: [UInt8]? = nil,
        totalTimeout: Duration? = nil,
        of client: HTTPClient
    ) throws(HTTPClientError) {
        guard !method.isEmpty, method.utf8.allSatisfy({ (65...90).contains($0) }) else {
            throw .invalidRequest("a method is made of capital letters")
        }
        let lines = try headerLines(headers)
        guard let handle = client.handles.take() else {
            throw .failed(target.origin, code: Int(CURLE_FAILED_INIT.rawValue), reason: "libcurl does not start")
        }
        self.handle = handle
        handles = client.handles
        self.target = target
        authorityFile = client.authorityFile ?? namedAuthorities.file
        for line in lines { self.headers = curl_slist_append(self.headers, line) }
        set(CURLOPT_URL, to: target.url)
        set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        // Without it, a user whose id is `..` would be another address.
        set(CURLOPT_PATH_AS_IS, to: 1)
        // A proxy from the environment is for the outside world; it cannot reach this machine's own loopback.
        if target.isLoopback { set(CURLOPT_PROXY, to: "") }
        set(CURLOPT_USERAGENT, to: "paycast")
        set(CURLOPT_NOSIGNAL, to: 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, to: client.timeout.wholeMilliseconds)
        trust(onlyThatFile: client.authorityFile != nil)
        if client.isHTTP1Only { set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1)) }
        _ = paycast_curl_set_pointer(handle, CURLOPT_HTTPHEADER, self.headers)
        set(CURLOPT_CUSTOMREQUEST, to: method)
        if body != nil || method == "POST" || method == "PUT" { copy(body ?? []) }
        if let totalTimeout { set(CURLOPT_TIMEOUT_MS, to: totalTimeout.wholeMilliseconds) }
    }

    deinit {
        handles.put(handle)
        curl_slist_free_all(headers)
    }

    /// Runs to the end, or until `handle` returns false.
    func perform(silenceLimit: Duration? = nil, _ handle: (HTTPClient.Event) -> Bool) throws(HTTPClientError) {
        let failure = withoutActuallyEscaping(handle) { handle in
            run(Receiver(silenceLimit: silenceLimit, handle: handle))
        }
        if let failure { throw failure }
    }

    /// The receiver lives as long as this call, so C only borrows it.
    private func run(_ receiver: Receiver) -> HTTPClientError? {
        let context = Unmanaged.passUnretained(receiver).toOpaque()
        _ = paycast_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { owner(of: $3)?.line($0, count: $1 * $2) ?? 0 }
        _ = paycast_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        _ = paycast_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { owner(of: $3)?.bytes($0, count: $1 * $2) ?? 0 }
        _ = paycast_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        _ = paycast_curl_set_ticker(handle, { context, _, _, _, _ in owner(of: context)?.tick() ?? 1 }, context)
        return withExtendedLifetime(receiver) {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CURL_ERROR_SIZE)) { words in
                words.initialize(repeating: 0)
                _ = paycast_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words.baseAddress)
                let code = curl_easy_perform(handle)
                if receiver.isSilent { return .silent(target.origin) }
                if receiver.wasStopped || code == CURLE_OK && receiver.isHeadComplete { return nil }
                let text = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                return failure(code, String(decoding: text, as: UTF8.self), receiver).error(at: target.origin)
            }
        }
    }

    private func failure(_ code: CURLcode, _ words: String, _ receiver: Receiver) -> CurlFailure {
        var failure = CurlFailure(code: code, words: words)
        failure.verification = paycast_curl_verification(handle)
        failure.hasHead = receiver.isHeadComplete
        failure.authorityFile = authorityFile
        return failure
    }

    /// What libcurl was built with stands unless something is named. A folder is trusted beside the file.
    private func trust(onlyThatFile: Bool) {
        if let authorityFile { set(CURLOPT_CAINFO, to: authorityFile) }
        if onlyThatFile {
            _ = paycast_curl_set_pointer(handle, CURLOPT_CAPATH, nil)
        } else if let folder = namedAuthorities.folder {
            set(CURLOPT_CAPATH, to: folder)
        }
    }

    private func set(_ option: CURLoption, to text: String) {
        _ = text.withCString { paycast_curl_set_pointer(handle, option, $0) }
    }

    private func copy(_ body: [UInt8]) {
        set(CURLOPT_POST, to: 1)
        _ = paycast_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        body.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return set(CURLOPT_COPYPOSTFIELDS, to: "") }
            _ = paycast_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, start)
        }
    }

    private func set(_ option: CURLoption, to number: Int) {
        _ = paycast_curl_set_number(handle, option, number)
    }
}

private func owner(of context: UnsafeMutableRawPointer?) -> Receiver? {
    context.map { Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue() }
}

/// Header lines in libcurl's format: `Name: value`, `Name;` for an empty value, `Name:` to drop one of its own headers.
private func headerLines(_ headers: [(String, String)]) throws(HTTPClientError) -> [String] {
    var lines = headers.contains { $0.0.lowercased() == "content-type" } ? [] : ["Content-Type:"]
    for (name, value) in headers {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw .invalidRequest("a header's name is made of letters, digits and hyphens")
        }
        guard !value.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
            throw .invalidRequest("the header \(name) contains a line break or another control character")
        }
        lines.append(value.isEmpty ? name + ";" : "\(name): \(value)")
    }
    return lines + ["Expect:"]
}

private func isTokenByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 95
}

extension Duration {
    /// At least one: libcurl reads 0 as "no limit".
    var wholeMilliseconds: Int {
        max(1, Int(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
    }
}

/// What whoever else uses OpenSSL reads by itself, and libcurl does not (SSL_CTX_set_default_verify_paths(3)). Once: nobody
/// changes the environment of a process that runs.
let namedAuthorities = (file: variable("SSL_CERT_FILE"), folder: variable("SSL_CERT_DIR"))

private func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

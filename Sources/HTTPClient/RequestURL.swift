internal import CCurl

/// A URL, parsed by the same parser that libcurl uses to request it.
struct RequestURL {
    let url: String
    /// `scheme://host[:port]`: the only part that errors may name.
    let origin: String
    let isLoopback: Bool

    init(_ url: String) throws(HTTPClientError) {
        guard let handle = curl_url() else { throw .invalidURL("no memory to read it") }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME, of: handle), let host = part(CURLUPART_HOST, of: handle)
        else { throw .invalidURL("it must look like http://host:port/path") }
        guard scheme == "http" || scheme == "https" else { throw .invalidURL("only http and https are supported") }
        let port = part(CURLUPART_PORT, of: handle).map { ":" + $0 } ?? ""
        self.url = url
        origin = "\(scheme)://\(host)\(port)"
        isLoopback = host == "localhost" || host == "[::1]" || isLoopbackIPv4(host)
    }
}

private func isLoopbackIPv4(_ host: String) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.first == "127" && numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
}

private func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
}
